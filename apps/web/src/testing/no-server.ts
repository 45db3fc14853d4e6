/** A client for pages whose timeline comes from a log: all other requests fail. */
import { createApiClient } from '@crewagent/protocol/api/client';

export const NO_SERVER = createApiClient({
  baseUrl: location.origin,
  token: 'none',
  fetch: () => Promise.reject(new Error('There is no server.')),
});
