/**
 * What the team edition uses of the server: Works that are open elsewhere, as commands and replies; endpoints, and who may call them.
 */
export { type AppOptions, createApp } from './app.ts';
export type { Commands, OpenRequest, Questions, SentError, WorkState } from './hosts/host-messages.ts';
export { COMMANDS, type HostedWork, hasCallback, toError } from './hosts/hosted-work.ts';
export { callWork, openWork, toSentError, toWorkState } from './hosts/serve-works.ts';
export type { WorkHosts } from './hosts/work-hosts.ts';
export { createHttpServer } from './http-server.ts';
export { mount, mountRaw, type Router } from './mount.ts';
export type { Access, Viewer } from './security/access.ts';
export { createOwnHosts, type OwnHosts, toUrl } from './security/own-hosts.ts';
export { createServerParts } from './server-parts.ts';
export { createStaticFiles } from './static-files.ts';
