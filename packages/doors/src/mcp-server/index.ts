/** Workflows for other agents over the Model Context Protocol; loaded by `crewagent mcp serve`, and with the first request over HTTP. */
export { createHttpDoor } from './serve-http.ts';
export { type StdioOptions, serveHosts } from './serve-stdio.ts';
