/**
 * A `fetch` whose event streams go through a SharedWorker, so that all windows of this browser share one connection. Browsers
 * without SharedWorker use one connection per window.
 */
import { createMultiplexedFetch } from './multiplexed-fetch.ts';
import type { FromWorker, ToWorker } from './shared-streams-messages.ts';
import { startStreamsWorker } from './start-streams-worker.ts';

type Fetch = typeof fetch;

export function createSharedFetch(): Fetch {
  if (typeof SharedWorker === 'undefined' || !('locks' in navigator)) return createMultiplexedFetch();
  const streams = connect();
  return (input, init) => {
    const headers = new Headers(init?.headers);
    if (headers.get('accept') !== 'text/event-stream' || typeof input !== 'string') return fetch(input, init);
    return streams.open(input, Object.fromEntries(headers), init?.signal ?? undefined);
  };
}

interface Followed {
  readonly body: ReadableStream<Uint8Array>;
  readonly stream: ReadableStreamDefaultController<Uint8Array>;
  readonly opened: (response: Response) => void;
  readonly failed: (error: Error) => void;
}

function connect() {
  const worker = startStreamsWorker();
  const say = (message: ToWorker): void => worker.port.postMessage(message);
  const followed = new Map<number, Followed>();
  let count = 0;
  const lock = crypto.randomUUID();
  // Never resolved: the lock is held until the window is closed.
  void navigator.locks.request(lock, () => {
    say({ type: 'hello', lock });
    return new Promise(() => undefined);
  });

  worker.port.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    const one = followed.get(data.id);
    if (!one) return;
    switch (data.type) {
      case 'head': {
        const { status, text } = data;
        const isOpen = status === 200;
        if (!isOpen) followed.delete(data.id);
        one.opened(new Response(isOpen ? one.body : text, { status }));
        break;
      }
      case 'piece':
        one.stream.enqueue(data.piece);
        break;
      case 'end':
        followed.delete(data.id);
        one.failed(new TypeError('The connection has ended.'));
        one.stream.close();
    }
  };

  return {
    open: (url: string, headers: Record<string, string>, signal: AbortSignal | undefined) =>
      new Promise<Response>((opened, failed) => {
        count += 1;
        const id = count;
        const close = (): void => {
          if (followed.delete(id)) say({ type: 'close', id });
        };
        const { body, stream } = createBody(close);
        followed.set(id, { body, stream, opened, failed });
        signal?.addEventListener('abort', () => {
          if (!followed.has(id)) return;
          close();
          const reason =
            signal.reason instanceof Error ? signal.reason : new Error('The stream was aborted.');
          stream.error(reason);
          failed(reason);
        });
        say({ type: 'open', id, url, headers });
      }),
  };
}

/** A response body with an external writer. */
function createBody(cancel: () => void): Pick<Followed, 'body' | 'stream'> {
  let stream: Followed['stream'] | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      stream = controller;
    },
    cancel,
  });
  if (!stream) throw new Error('The stream controller was not initialized.');
  return { body, stream };
}
