/**
 * A `fetch` that multiplexes all event streams of this window over one connection: browsers allow six per server across all
 * windows, and a second window would block. Readers of a stream need not know.
 */
import { API_ROOT } from '@crewagent/protocol/api/define-endpoint';
import { createFrameReader } from '@crewagent/protocol/api/server-sent-events';
import { muxMessageSchema } from '@crewagent/protocol/api/streams';

type Fetch = typeof fetch;

/** A server that has not opened the connection by then never will. */
const OPEN_MS = 20_000;

export function createMultiplexedFetch(
  send: Fetch = fetch.bind(globalThis),
  { openMs = OPEN_MS }: { readonly openMs?: number } = {},
): Fetch {
  /** By authorization header: a window with an old token must not break the connection of a new one. */
  const muxes = new Map<string, Promise<MuxStream>>();
  let count = 0;

  const open = (origin: string, authorization: string): Promise<MuxStream> => {
    const known = muxes.get(authorization);
    if (known) return known;
    const forget = (): void => {
      if (muxes.get(authorization) === opening) muxes.delete(authorization);
    };
    const opening = openMux(send, { origin, authorization, openMs, onEnd: forget });
    muxes.set(authorization, opening);
    opening.catch(forget);
    return opening;
  };

  return async (input, init) => {
    const headers = new Headers(init?.headers);
    if (headers.get('accept') !== 'text/event-stream' || typeof input !== 'string') return send(input, init);
    const { origin, pathname, search } = new URL(input);
    const authorization = headers.get('authorization') ?? '';
    let opened = await open(origin, authorization);
    // The connection may have ended while it was opening.
    while (!(opened instanceof Response) && opened.isOver()) opened = await open(origin, authorization);
    if (opened instanceof Response) return opened.clone();
    count += 1;
    return opened.add(`s${count}`, {
      path: `${pathname}${search}`,
      lastEventId: headers.get('last-event-id') ?? undefined,
      signal: init?.signal ?? undefined,
    });
  };
}

/** Status of the server if the connection is gone, as opposed to the requested stream. */
const GONE = 410;

interface Wanted {
  readonly path: string;
  readonly lastEventId: string | undefined;
  readonly signal: AbortSignal | undefined;
}

interface OpenMux {
  readonly isOver: () => boolean;
  readonly add: (name: string, wanted: Wanted) => Promise<Response>;
}

/** The server's response if it did not open the stream. */
type MuxStream = OpenMux | Response;

interface MuxOptions {
  readonly origin: string;
  readonly authorization: string;
  readonly openMs: number;
  readonly onEnd: () => void;
}

async function openMux(send: Fetch, options: MuxOptions): Promise<MuxStream> {
  const { origin, authorization, openMs, onEnd } = options;
  const url = `${origin}${API_ROOT}/streams/${crypto.randomUUID()}`;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), openMs);
  const response = await send(url, {
    headers: { authorization, accept: 'text/event-stream' },
    signal: controller.signal,
  }).finally(() => clearTimeout(timer));
  if (!response.ok || !response.body) {
    onEnd();
    return response;
  }
  const streams = new Map<string, ReadableStreamDefaultController<Uint8Array>>();
  const command = (what: 'add' | 'remove', body: object): Promise<Response> =>
    send(`${url}/${what}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const end = (error: Error): void => {
    onEnd();
    controller.abort();
    for (const stream of streams.values()) stream.error(error);
    streams.clear();
  };
  const forget = (name: string): void => {
    if (!streams.delete(name)) return;
    // No streams are left: close the connection.
    if (streams.size === 0) end(new Error('All multiplexed streams have ended.'));
    else void command('remove', { name }).catch(() => undefined);
  };
  void deliver(response.body, streams).then(end, end);

  return {
    isOver: () => controller.signal.aborted,
    async add(name, { path, lastEventId, signal }) {
      signal?.throwIfAborted();
      const body = new ReadableStream<Uint8Array>({
        start: (stream) => void streams.set(name, stream),
        cancel: () => forget(name),
      });
      const added = await command('add', { name, path, ...(lastEventId ? { lastEventId } : {}) });
      if (!added.ok) forget(name);
      if (added.status === GONE) throw new TypeError('The connection has ended.');
      if (!added.ok) return added;
      signal?.addEventListener('abort', () => {
        const stream = streams.get(name);
        forget(name);
        stream?.error(signal.reason);
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
  };
}

/** Dispatches each chunk to its stream; resolves with the reason the connection ended. */
async function deliver(
  body: ReadableStream<Uint8Array>,
  streams: Map<string, ReadableStreamDefaultController<Uint8Array>>,
): Promise<Error> {
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  const frames = createFrameReader(({ data }) => {
    const { name, text, isOver } = muxMessageSchema.parse(JSON.parse(data));
    const stream = streams.get(name);
    if (!stream) return;
    if (text !== '') stream.enqueue(encoder.encode(text));
    if (!isOver) return;
    streams.delete(name);
    stream.close();
  });
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    frames.read(decoder.decode(part.value, { stream: true }));
  return new Error('The connection has ended.');
}
