/** A client for pages whose story comes from a log: whatever else they ask for is not there. */
import { createApiClient } from '@crewagent/protocol/api/client';

export const NO_SERVER = createApiClient({
  baseUrl: location.origin,
  token: 'none',
  fetch: () => Promise.reject(new Error('There is no server.')),
});
