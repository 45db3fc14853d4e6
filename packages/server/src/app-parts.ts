/** What a server with other accounts is built from, for `@crewagent/team`. */
export { mount, mountRaw, type Router } from './mount.ts';
export type { Access, CallFacts, Permit, Viewer } from './security/access.ts';
