/**
 * The local server as the command line, the desktop window and scripts see it.
 */
export { type RunningServer, type ServeOptions, startServer } from './serve.ts';
