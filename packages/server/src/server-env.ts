/** Node objects of a request that arrived over a socket; absent in tests that call the app directly. */
import type { IncomingMessage } from 'node:http';

export interface ServerEnv {
  Bindings: { readonly incoming?: IncomingMessage; readonly outgoing?: { destroy(): unknown } };
}
