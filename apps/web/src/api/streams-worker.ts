/**
 * SharedWorker that follows event streams for all windows of this browser over one connection. It lives as long as any window;
 * the streams of a window end with it.
 */
import { createMultiplexedFetch } from './multiplexed-fetch.ts';

const multiplexedFetch = createMultiplexedFetch();

/** Global scope of a SharedWorker, which TypeScript's DOM library does not declare. */
const scope = globalThis as unknown as { onconnect: (event: MessageEvent) => void };

scope.onconnect = ({ ports: [window] }) => {
  if (!window) return;
  window.onmessage = ({ data, ports: [port] }: MessageEvent<OpenStream>) => {
    if (port) void follow(data, port);
  };
};

async function follow({ url, headers, lock }: OpenStream, port: MessagePort): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const close = (): void => controller.abort();
  const say = (message: StreamMessage): void => port.postMessage(message);
  port.onmessage = close;
  // Granted when the window is closed: ports have no close event. The request is withdrawn when the stream ends.
  navigator.locks.request(lock, { signal }, close).catch(() => undefined);
  try {
    const response = await multiplexedFetch(url, { headers, signal });
    say({ type: 'head', status: response.status, text: response.ok ? '' : await response.text() });
    const reader = response.ok ? response.body?.getReader() : undefined;
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      say({ type: 'piece', piece: new Uint8Array(part.value) });
  } catch {
    // The window sees the stream end and reconnects if it still needs it.
  }
  say({ type: 'end' });
  close();
  port.close();
}

/** Opens a stream. It comes with a port for the stream's messages; any message on it closes the stream. */
export interface OpenStream {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The window is alive while it holds the lock with this name. */
  readonly lock: string;
}

export type StreamMessage =
  /** The stream was opened, or rejected with this text. */
  | { readonly type: 'head'; readonly status: number; readonly text: string }
  | { readonly type: 'piece'; readonly piece: Uint8Array<ArrayBuffer> }
  /** The stream ended. */
  | { readonly type: 'end' };
