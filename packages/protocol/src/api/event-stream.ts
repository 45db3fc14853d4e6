/**
 * Follows an event stream of the server: the token in a header, every message once and in order, resuming after the last event
 * when the connection breaks. Independent of browser and Node.
 */
import { ApiError, readError } from './api-error.ts';
import { createFrameReader, type Frame } from './server-sent-events.ts';

export interface EventStreamOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** Resumes after this event. */
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when the stream breaks, before it is reopened, and when it is open. */
  readonly onState?: ((state: 'open' | 'broken') => void) | undefined;
  /** The connection counts as broken if the server sends nothing for this long. */
  readonly silenceMs?: number;
  readonly firstWaitMs?: number;
}

const SILENCE_MS = 45_000;
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5_000;

/** Ends when `signal` is aborted; throws `ApiError` for an error that a retry would not fix. */
export async function* followEvents(options: EventStreamOptions): AsyncGenerator<Frame, void> {
  const { signal, onState = () => undefined, firstWaitMs = FIRST_WAIT_MS } = options;
  let lastEventId = options.lastEventId ?? '';
  let waitMs = firstWaitMs;
  while (!isAborted(signal)) {
    try {
      for await (const frame of readOnce(options, lastEventId, onState)) {
        waitMs = firstWaitMs;
        lastEventId = frame.id;
        yield frame;
      }
    } catch (error) {
      if (isAborted(signal)) return;
      if (error instanceof ApiError && !error.isWorthRetrying) throw error;
    }
    if (isAborted(signal)) return;
    onState('broken');
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
  }
}

/** A function, because the value changes while we wait. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

async function* readOnce(
  options: EventStreamOptions,
  lastEventId: string,
  onState: (state: 'open') => void,
): AsyncGenerator<Frame, void> {
  const { url, headers, fetch, signal, silenceMs = SILENCE_MS } = options;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal?.addEventListener('abort', abort);
  let timer = setTimeout(abort, silenceMs);
  let body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const response = await fetch(url, {
      headers: {
        ...headers,
        accept: 'text/event-stream',
        ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
      },
      signal: controller.signal,
    });
    if (!response.ok || !response.body) throw await readError(response);
    onState('open');
    const decoder = new TextDecoder();
    const frames: Frame[] = [];
    const reader = createFrameReader((frame) => frames.push(frame));
    body = response.body.getReader();
    for (let part = await body.read(); !part.done; part = await body.read()) {
      clearTimeout(timer);
      timer = setTimeout(abort, silenceMs);
      reader.read(decoder.decode(part.value, { stream: true }));
      yield* frames.splice(0);
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    // A consumer that stops reading closes the connection.
    void body?.cancel().catch(() => undefined);
    controller.abort();
  }
}

/** Ends early when `signal` is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (isAborted(signal)) end();
  });
}
