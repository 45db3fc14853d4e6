/**
 * SharedWorker that follows event streams for all windows of this browser over one connection. It lives as long as any window;
 * the streams of a window end with it.
 */
import { createMultiplexedFetch } from './multiplexed-fetch.ts';
import type { FromWorker, ToWorker } from './shared-streams-messages.ts';

const multiplexedFetch = createMultiplexedFetch();

/** Global scope of a SharedWorker, which TypeScript's DOM library does not declare. */
const scope = globalThis as unknown as { onconnect: (event: MessageEvent) => void };

scope.onconnect = ({ ports: [port] }) => {
  if (!port) return;
  const followed = new Map<number, AbortController>();
  const say = (message: FromWorker): void => port.postMessage(message);
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    switch (data.type) {
      case 'hello':
        // Granted when the window is closed: ports have no close event.
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
    say({ type: 'head', id, status: response.status, text: response.ok ? '' : await response.text() });
    const reader = response.ok ? response.body?.getReader() : undefined;
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      say({ type: 'piece', id, piece: new Uint8Array(part.value) });
  } catch {
    // The window sees the stream end and reconnects if it still needs it.
  }
  say({ type: 'end', id });
}
