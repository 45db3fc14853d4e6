/**
 * Public interface of the local server, for the command line, the desktop app and scripts.
 */
export type { Door } from './app.ts';
export { type RunningServer, type ServeOptions, startServer } from './serve.ts';
