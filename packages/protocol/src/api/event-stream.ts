/**
 * Follows an event stream of the server for as long as somebody listens: the token in a header, every message once and in
 * order, again from the last one after each break. Knows no browser and no Node.
 */
import { ApiError, readError } from './api-error.ts';
import { createFrameReader, type Frame } from './server-sent-events.ts';

export interface EventStreamOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  /** Goes on behind this one. */
  readonly lastEventId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told when the stream breaks, before it is opened again, and when it is open. */
  readonly onState?: ((state: 'open' | 'broken') => void) | undefined;
  /** The server says something at least this often, or it is gone. */
  readonly silenceMs?: number;
  readonly firstWaitMs?: number;
}

const SILENCE_MS = 45_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** Ends when `signal` is aborted; throws ApiError for a refusal that another try would not mend. */
export async function* followEvents(options: EventStreamOptions): AsyncGenerator<Frame, void> {
  const { signal, onState = () => undefined, firstWaitMs = FIRST_WAIT_MS } = options;
  let lastEventId = options.lastEventId ?? '';
  let waitMs = firstWaitMs;
  while (!isOver(signal)) {
    try {
      for await (const frame of readOnce(options, lastEventId, onState)) {
        waitMs = firstWaitMs;
        lastEventId = frame.id;
        yield frame;
      }
    } catch (error) {
      if (isOver(signal)) return;
      if (error instanceof ApiError && !error.isWorthRetrying) throw error;
    }
    if (isOver(signal)) return;
    onState('broken');
    await pause(waitMs, signal);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

/** Read anew each time: it changes while we wait. */
function isOver(signal: AbortSignal | undefined): boolean {
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
    // Whoever stops listening ends the connection.
    void body?.cancel().catch(() => undefined);
    controller.abort();
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (isOver(signal)) end();
  });
}
