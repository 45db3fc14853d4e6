/**
 * Everything that a simulated process executes, bundled to one script (`?thread`): the server, the store that several processes share,
 * and the client of the API.
 */
export { createRuntime } from '@crewagent/core';
export { createApiClient } from '@crewagent/protocol/api/client';
export { createApp } from '../../app.ts';
export { createTokenAccess } from '../../security/access.ts';
export { createOwnHosts } from '../../security/own-hosts.ts';
export { createServerParts } from '../../server-parts.ts';
export { createStaticFiles } from '../../static-files.ts';
