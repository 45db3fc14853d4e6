/**
 * A `fetch` whose event streams go through a SharedWorker, so that all windows of this browser share one connection. Browsers
 * without SharedWorker use one connection per window.
 */
import { createMultiplexedFetch } from './multiplexed-fetch.ts';
import type { OpenStream, StreamMessage } from './streams-worker.ts';
import workerUrl from './streams-worker.ts?sharedworker&url';

type Fetch = typeof fetch;

export function createSharedFetch(): Fetch {
  if (typeof SharedWorker === 'undefined' || !('locks' in navigator)) return createMultiplexedFetch();
  const worker = startStreamsWorker();
  const lock = crypto.randomUUID();
  const isAlive = new Promise<void>((resolve) => {
    // Held until the window is closed.
    void navigator.locks.request(lock, () => {
      resolve();
      return new Promise(() => undefined);
    });
  });
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (headers.get('accept') !== 'text/event-stream' || typeof input !== 'string') return fetch(input, init);
    await isAlive;
    init?.signal?.throwIfAborted();
    const { port1, port2 } = new MessageChannel();
    const open: OpenStream = { url: input, headers: Object.fromEntries(headers), lock };
    worker.port.postMessage(open, [port2]);
    return readResponse(port1, init?.signal ?? undefined);
  };
}

/** The response whose parts arrive at the port. */
function readResponse(port: MessagePort, signal: AbortSignal | undefined): Promise<Response> {
  return new Promise((resolve, reject) => {
    const close = (): void => {
      port.onmessage = null;
      port.postMessage('close');
    };
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        const fail = (error: unknown): void => {
          reject(error);
          stream.error(error);
        };
        port.onmessage = ({ data }: MessageEvent<StreamMessage>) => {
          if (data.type === 'head')
            resolve(new Response(data.status === 200 ? body : data.text, { status: data.status }));
          else if (data.type === 'piece') stream.enqueue(data.piece);
          else fail(new TypeError('The connection has ended.'));
        };
        signal?.addEventListener('abort', () => {
          close();
          fail(signal.reason);
        });
      },
      cancel: close,
    });
  });
}

/** The part that is used; TypeScript's library has no Trusted Types. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(): string },
  ): { createScriptURL(given: string): string };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
// Created once on load: afterwards no other script can create a policy with this name.
const policy = trustedTypes?.createPolicy('crewagent-worker', { createScriptURL: () => workerUrl });

/**
 * Starts the SharedWorker. The page's security policy requires Trusted Types, so the worker URL comes from the only policy that
 * the page may create; that policy returns no other URL.
 */
function startStreamsWorker(): SharedWorker {
  return new SharedWorker(policy?.createScriptURL(workerUrl) ?? workerUrl, { type: 'module' });
}
