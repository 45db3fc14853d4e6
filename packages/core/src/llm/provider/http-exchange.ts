/**
 * One request and its response over a keep-alive connection, with time and size limits. Never follows redirects and
 * does not interpret the bytes. The outcome of an exchange is a value.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { errnoOf } from '../../base/errno.ts';
import type { ErrorResponse } from './http-errors.ts';
import type { ReadState, ReplyReader } from './reply-reader.ts';

/** Receives the body of a successful response. */
type BodySink = Pick<ReplyReader, 'open' | 'read'>;

export interface ExchangeWatch {
  readonly signal: AbortSignal;
  /** Timeout for the first data. */
  readonly firstByteMs: number;
  /** Timeout between data after that. */
  readonly idleMs: number;
}

export interface ExchangeLimits {
  readonly connectMs: number;
  /** Time limit for a whole response. */
  readonly totalMs: number;
  readonly bytes: number;
}

export type ExchangeEnd =
  /** The sink has received the whole body, which may be incomplete. */
  | { readonly kind: 'read' }
  | { readonly kind: 'refused'; readonly answer: ErrorResponse }
  | { readonly kind: 'silent'; readonly afterMs: number; readonly isBeforeData: boolean }
  | { readonly kind: 'too long' }
  | { readonly kind: 'too large' }
  | { readonly kind: 'unreachable'; readonly cause: unknown }
  | { readonly kind: 'aborted' };

/** `stale`: the server had closed the reused connection before it received the request. */
type Settled = ExchangeEnd | 'stale';

export function createHttpClient(
  endpoint: URL,
  headers: Readonly<Record<string, string>>,
  limits: ExchangeLimits,
) {
  let transport: SharedTransport | undefined;
  const closing = new AbortController();
  const tail: Tail = { waitMs: AFTER_FINISH_MS };

  async function post(body: Buffer, sink: BodySink, watch: ExchangeWatch): Promise<ExchangeEnd> {
    transport ??= joinTransport(endpoint.protocol);
    const { agent, request } = await transport.opened;
    const options: RequestOptions = {
      ...urlToHttpOptions(endpoint),
      method: 'POST',
      headers: { ...headers, 'content-length': body.length },
      agent,
    };
    for (;;) {
      if (watch.signal.aborted || closing.signal.aborted) return { kind: 'aborted' };
      const receiving = { sink, watch, limits, tail, closing: closing.signal };
      const end = await exchange(request(options), body, receiving);
      if (end !== 'stale') return end;
    }
  }

  return {
    post,
    /** Aborts running exchanges. The last client closes the connections. */
    close(): void {
      if (closing.signal.aborted) return;
      closing.abort(CLOSED);
      if (transport) leaveTransport(transport);
    },
  };
}

/** Not the default reason, whose stack takes longer than everything else here. */
const CLOSED = 'closed';

interface SharedTransport {
  readonly protocol: string;
  readonly opened: ReturnType<typeof openTransport>;
  clients: number;
}

/** By protocol. A run that waits for a person leaves its connection to the next one. */
const transports = new Map<string, SharedTransport>();

function joinTransport(protocol: string): SharedTransport {
  const transport = transports.get(protocol) ?? { protocol, opened: openTransport(protocol), clients: 0 };
  transport.clients++;
  transports.set(protocol, transport);
  return transport;
}

function leaveTransport(transport: SharedTransport): void {
  transport.clients--;
  if (transport.clients > 0) return;
  transports.delete(transport.protocol);
  void transport.opened.then(({ agent }) => agent.destroy());
}

/** Loaded on first use, since few need both protocols. */
async function openTransport(protocol: string) {
  const { Agent, request } = protocol === 'https:' ? await import('node:https') : await import('node:http');
  return { agent: new Agent({ keepAlive: true, noDelay: true }), request };
}

interface Receiving {
  readonly sink: BodySink;
  readonly watch: ExchangeWatch;
  readonly limits: ExchangeLimits;
  readonly tail: Tail;
  readonly closing: AbortSignal;
}

/** What may follow the end of a reply: the token count and the end of the response. */
interface Tail {
  /** Shortened once nothing has followed a reply. */
  waitMs: number;
}

function exchange(request: ClientRequest, body: Buffer, receiving: Receiving): Promise<Settled> {
  const { watch, limits, closing } = receiving;
  return new Promise((resolve, reject) => {
    const signals = [watch.signal, closing];
    const ending = createEnding(request, { signals, totalMs: limits.totalMs, resolve, reject });
    let consumer: BodyConsumer | undefined;
    const awaitData = (): void =>
      ending.finishAfter(watch.firstByteMs, () => ({
        kind: 'silent',
        afterMs: watch.firstByteMs,
        isBeforeData: true,
      }));
    ending.finishAfter(limits.connectMs, () => ({ kind: 'unreachable', cause: CONNECT_TIMEOUT }));
    request.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', awaitData);
      else awaitData();
    });
    request.on('response', (response) => {
      const isGood = Math.trunc((response.statusCode ?? 0) / 100) === 2;
      consumer = (isGood ? consumeReply : consumeError)(response, receiving, ending);
      receive(response, consumer, ending).catch(ending.fail);
    });
    request.on('error', (cause) => {
      const errno = errnoOf(cause);
      const isStale = request.reusedSocket && (errno === 'ECONNRESET' || errno === 'EPIPE');
      ending.finish(consumer?.end() ?? (isStale ? 'stale' : { kind: 'unreachable', cause }));
    });
    request.end(body);
  });
}

const CONNECT_TIMEOUT = Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' });

interface BodyConsumer {
  write(bytes: Buffer): void;
  /** Result of the body so far. */
  end(): ExchangeEnd;
}

/** A broken connection ends the body like a normal end; the consumer detects what is missing. */
async function receive(response: IncomingMessage, consumer: BodyConsumer, ending: Ending): Promise<void> {
  response.on('error', () => undefined);
  response.on('close', () => {
    if (!response.complete) ending.finish(consumer.end());
  });
  const stream = await decodedBody(response);
  stream.on('data', (bytes: Buffer) => {
    if (ending.isFinished()) return;
    try {
      consumer.write(bytes);
    } catch (error) {
      ending.fail(error);
    }
  });
  stream.on('end', () => ending.finish(consumer.end(), true));
  stream.on('error', () => ending.finish(consumer.end()));
}

/** How long to wait, after the model has finished, for the token count and the end of the response. */
const AFTER_FINISH_MS = 1_000;
/** The same if nothing followed the previous reply. */
const AFTER_SILENT_FINISH_MS = 50;
/** How long to wait for the end of the response after its last event, before the connection is closed. */
const AFTER_DONE_MS = 200;

function consumeReply(
  response: IncomingMessage,
  { sink, watch, limits, tail }: Receiving,
  ending: Ending,
): BodyConsumer {
  let received = 0;
  let last: ReadState = 'nothing';
  const end = (): ExchangeEnd => ({ kind: 'read' });
  const silent: ExchangeEnd = { kind: 'silent', afterMs: watch.idleMs, isBeforeData: false };
  sink.open(response.headers['content-type'] ?? '');

  function onState(state: ReadState): void {
    switch (state) {
      case 'nothing':
        return;
      case 'failed':
        ending.finish(end());
        return;
      case 'data':
        if (last === 'nothing') ending.finishAfter(watch.idleMs, () => silent);
        else ending.extend();
        return;
      case 'finished':
        if (last !== state)
          ending.finishAfter(tail.waitMs, () => {
            tail.waitMs = AFTER_SILENT_FINISH_MS;
            return end();
          });
        return;
      case 'done':
        if (last !== state) ending.finishAfter(AFTER_DONE_MS, end);
    }
  }

  return {
    write(bytes) {
      received += bytes.length;
      if (received > limits.bytes) return ending.finish({ kind: 'too large' });
      const state = sink.read(bytes);
      onState(state);
      if (state !== 'nothing') last = state;
    },
    end,
  };
}

const ERROR_BODY_MS = 5_000;
const ERROR_BODY_BYTES = 65_536;

/** Reads enough of an error response to quote it; its status counts even if the body never arrives. */
function consumeError(response: IncomingMessage, { watch }: Receiving, ending: Ending): BodyConsumer {
  const chunks: Buffer[] = [];
  let received = 0;
  const end = (): ExchangeEnd => ({
    kind: 'refused',
    answer: {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: Buffer.concat(chunks).toString(),
    },
  });
  ending.finishAfter(Math.min(watch.idleMs, watch.firstByteMs, ERROR_BODY_MS), end);
  return {
    write(bytes) {
      chunks.push(bytes);
      received += bytes.length;
      if (received > ERROR_BODY_BYTES) ending.finish(end());
    },
    end,
  };
}

type Ending = ReturnType<typeof createEnding>;

interface EndingOptions {
  /** Each of them aborts the exchange. */
  readonly signals: readonly AbortSignal[];
  readonly totalMs: number;
  resolve(end: Settled): void;
  reject(error: unknown): void;
}

/**
 * Ends an exchange exactly once: with its response, a failure, an abort or a timeout, whichever comes first. Destroys the
 * connection unless the response was read completely.
 */
function createEnding(request: ClientRequest, { signals, totalMs, resolve, reject }: EndingOptions) {
  let isFinished = false;
  let limit: NodeJS.Timeout | undefined;
  const deadline = setTimeout(() => finish({ kind: 'too long' }), totalMs);
  const abort = (): void => finish({ kind: 'aborted' });
  for (const signal of signals) signal.addEventListener('abort', abort);

  function finish(end: Settled, isComplete = false): void {
    if (close(isComplete)) resolve(end);
  }

  function close(isComplete: boolean): boolean {
    if (isFinished) return false;
    isFinished = true;
    clearTimeout(limit);
    clearTimeout(deadline);
    for (const signal of signals) signal.removeEventListener('abort', abort);
    if (!isComplete) request.destroy();
    return true;
  }

  return {
    finish,
    /** Rejects with an unexpected error. */
    fail(error: unknown): void {
      if (close(false)) reject(error);
    },
    /** Finishes with this result after a timeout; replaces the previous timeout. */
    finishAfter(ms: number, end: () => Settled): void {
      clearTimeout(limit);
      if (!isFinished) limit = setTimeout(() => finish(end()), ms);
    },
    /** Restarts the timeout. */
    extend: (): void => void limit?.refresh(),
    isFinished: (): boolean => isFinished,
  };
}

/**
 * The decompressed body; the response itself if it is not compressed, or in an unknown encoding. We request no compression,
 * because it delays streams; some proxies compress anyway.
 */
async function decodedBody(response: IncomingMessage): Promise<Readable> {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || !/^(?:x-)?gzip$|^deflate$|^br$/.test(encoding)) return response;
  const { constants, createBrotliDecompress, createUnzip } = await import('node:zlib');
  // Flush every chunk: a stream is read while it arrives.
  const decoder =
    encoding === 'br'
      ? createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })
      : createUnzip({ flush: constants.Z_SYNC_FLUSH });
  return response.pipe(decoder);
}
