/** What a call brings along when it came over a socket; nothing in tests that call the app itself. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface ServerEnv {
  Bindings: { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse };
}
