/**
 * Follows event streams for all windows of this browser over one connection. Lives as long as one of them does; what a
 * window followed ends with it.
 */
import { createMultiplexedFetch } from './multiplexed-fetch.ts';
import type { FromWorker, ToWorker } from './shared-streams-messages.ts';

const multiplexedFetch = createMultiplexedFetch();

/** A worker's global scope, of which the library for pages knows nothing. */
const scope = globalThis as unknown as { onconnect: (event: MessageEvent) => void };

scope.onconnect = ({ ports: [port] }) => {
  if (!port) return;
  const followed = new Map<number, AbortController>();
  const say = (message: FromWorker): void => port.postMessage(message);
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    switch (data.type) {
      case 'hello':
        // Granted when the window is gone: ports do not tell.
        void navigator.locks.request(data.lock, () => {
          for (const controller of followed.values()) controller.abort();
        });
        break;
      case 'open': {
        const controller = new AbortController();
        followed.set(data.id, controller);
        void follow(data, controller.signal, say).finally(() => followed.delete(data.id));
        break;
      }
      case 'close':
        followed.get(data.id)?.abort();
    }
  };
};

async function follow(
  { id, url, headers }: Extract<ToWorker, { type: 'open' }>,
  signal: AbortSignal,
  say: (message: FromWorker) => void,
): Promise<void> {
  try {
    const response = await multiplexedFetch(url, { headers, signal });
    say({ type: 'head', id, status: response.status, words: response.ok ? '' : await response.text() });
    const reader = response.ok ? response.body?.getReader() : undefined;
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      say({ type: 'piece', id, piece: new Uint8Array(part.value) });
  } catch {
    // For the window it has ended; it opens it again if it still wants it.
  }
  say({ type: 'end', id });
}
