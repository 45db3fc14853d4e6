/**
 * One request and its answer over a kept-alive connection of our own, with limits of time and size. Never follows a
 * redirect, never looks at what the bytes mean. How an exchange ended is a value.
 */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { errnoOf } from '../../base/errno.ts';
import { decodedBody } from './decode-body.ts';
import { createEnding, type ExchangeEnding } from './exchange-ending.ts';
import type { HttpAnswer } from './http-errors.ts';
import type { ReadState } from './reply-reader.ts';

export interface HttpLine {
  /** The pieces of the body leave together. */
  post(body: readonly Buffer[], sink: BodySink, watch: ExchangeWatch): Promise<ExchangeEnd>;
  /** Ends what is under way and lets go of the connection. */
  close(): void;
}

/** Takes the body of a good answer. */
export interface BodySink {
  open(contentType: string): void;
  read(bytes: Uint8Array): ReadState;
}

export interface ExchangeWatch {
  readonly signal: AbortSignal;
  /** How long the first data may take. */
  readonly firstByteMs: number;
  /** How long may pass without data from then on. */
  readonly idleMs: number;
}

export interface ExchangeLimits {
  readonly connectMs: number;
  /** How long one answer may take in all. */
  readonly totalMs: number;
  readonly bytes: number;
}

export type ExchangeEnd =
  /** The sink has all that came, complete or not. */
  | { readonly kind: 'read' }
  | { readonly kind: 'refused'; readonly answer: HttpAnswer }
  | { readonly kind: 'silent'; readonly afterMs: number; readonly isBeforeData: boolean }
  | { readonly kind: 'too long' }
  | { readonly kind: 'too large' }
  | { readonly kind: 'unreachable'; readonly cause: unknown }
  | { readonly kind: 'aborted' };

/** `stale`: the server had closed the kept connection before it saw the request. */
type Ending = ExchangeEnding<ExchangeEnd | 'stale'>;

export function createHttpLine(
  endpoint: URL,
  headers: Readonly<Record<string, string>>,
  limits: ExchangeLimits,
): HttpLine {
  let transport: Promise<Transport> | undefined;
  const closing = new AbortController();
  const tail: Tail = { waitMs: AFTER_FINISH_MS };

  async function post(body: readonly Buffer[], sink: BodySink, watch: ExchangeWatch): Promise<ExchangeEnd> {
    transport ??= openTransport(endpoint.protocol);
    const { agent, request } = await transport;
    const options: RequestOptions = {
      ...urlToHttpOptions(endpoint),
      method: 'POST',
      headers: { ...headers, 'content-length': body.reduce((length, piece) => length + piece.length, 0) },
      agent,
    };
    for (;;) {
      if (watch.signal.aborted || closing.signal.aborted) return { kind: 'aborted' };
      const end = await exchange(request(options), body, {
        sink,
        watch,
        limits,
        tail,
        closing: closing.signal,
      });
      if (end !== 'stale') return end;
    }
  }

  return {
    post,
    close() {
      closing.abort();
      void transport?.then(({ agent }) => agent.destroy());
    },
  };
}

interface Transport {
  readonly agent: Agent;
  request(options: RequestOptions): ClientRequest;
}

/** Loaded when first used, since few need both. One connection, since a run asks one thing at a time. */
async function openTransport(protocol: string): Promise<Transport> {
  const { Agent, request } = protocol === 'https:' ? await import('node:https') : await import('node:http');
  return { agent: new Agent({ keepAlive: true, maxSockets: 1, noDelay: true }), request };
}

interface Receiving {
  readonly sink: BodySink;
  readonly watch: ExchangeWatch;
  readonly limits: ExchangeLimits;
  readonly tail: Tail;
  readonly closing: AbortSignal;
}

/** What may follow the end of a reply: the count of tokens, the end of the answer. */
interface Tail {
  /** Nothing followed the reply before this one: there is no point in waiting long again. */
  waitMs: number;
}

function exchange(
  request: ClientRequest,
  body: readonly Buffer[],
  receiving: Receiving,
): Promise<ExchangeEnd | 'stale'> {
  const { watch, limits, closing } = receiving;
  return new Promise((resolve, reject) => {
    const ending: Ending = createEnding<ExchangeEnd | 'stale'>({
      request,
      signals: [watch.signal, closing],
      totalMs: limits.totalMs,
      whenAborted: { kind: 'aborted' },
      whenTooLong: { kind: 'too long' },
      resolve,
      reject,
    });
    let taker: BodyTaker | undefined;
    const awaitData = (): void =>
      ending.overIn(watch.firstByteMs, () => ({
        kind: 'silent',
        afterMs: watch.firstByteMs,
        isBeforeData: true,
      }));
    ending.overIn(limits.connectMs, () => ({ kind: 'unreachable', cause: CONNECT_TIMEOUT }));
    request.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', awaitData);
      else awaitData();
    });
    request.on('response', (response) => {
      const isGood = Math.trunc((response.statusCode ?? 0) / 100) === 2;
      taker = (isGood ? takeReply : takeRefusal)(response, receiving, ending);
      receive(response, taker, ending).catch(ending.fail);
    });
    request.on('error', (cause) => {
      const errno = errnoOf(cause);
      const isStale = request.reusedSocket && (errno === 'ECONNRESET' || errno === 'EPIPE');
      ending.over(taker?.end() ?? (isStale ? 'stale' : { kind: 'unreachable', cause }));
    });
    for (const piece of body) request.write(piece);
    request.end();
  });
}

const CONNECT_TIMEOUT = Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' });

interface BodyTaker {
  take(bytes: Buffer): void;
  /** All has come that will come. */
  end(): ExchangeEnd;
}

/** A connection that breaks ends the body like any other end; whoever took it sees what is missing. */
async function receive(response: IncomingMessage, taker: BodyTaker, ending: Ending): Promise<void> {
  response.on('error', () => undefined);
  response.on('close', () => {
    if (!response.complete) ending.over(taker.end());
  });
  const stream = await decodedBody(response);
  stream.on('data', (bytes: Buffer) => {
    if (ending.isOver) return;
    try {
      taker.take(bytes);
    } catch (error) {
      ending.fail(error);
    }
  });
  stream.on('end', () => ending.over(taker.end(), true));
  stream.on('error', () => ending.over(taker.end()));
}

/** How long to wait, once the model has finished, for the count of tokens and the end of the answer. */
const AFTER_FINISH_MS = 1_000;
/** The same where nothing came the last time. */
const AFTER_LONELY_FINISH_MS = 50;
/** How long the end of the answer may follow its last event; if it does not, the connection is given up. */
const AFTER_DONE_MS = 200;

function takeReply(
  response: IncomingMessage,
  { sink, watch, limits, tail }: Receiving,
  ending: Ending,
): BodyTaker {
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
        ending.over(end());
        return;
      case 'data':
        if (last === 'nothing') ending.overIn(watch.idleMs, () => silent);
        else ending.prolong();
        return;
      case 'finished':
        if (last !== state)
          ending.overIn(tail.waitMs, () => {
            tail.waitMs = AFTER_LONELY_FINISH_MS;
            return end();
          });
        return;
      case 'done':
        if (last !== state) ending.overIn(AFTER_DONE_MS, end);
    }
  }

  return {
    take(bytes) {
      received += bytes.length;
      if (received > limits.bytes) return ending.over({ kind: 'too large' });
      const state = sink.read(bytes);
      onState(state);
      if (state !== 'nothing') last = state;
    },
    end,
  };
}

const REFUSAL_MS = 5_000;
const REFUSAL_BYTES = 65_536;

/** Enough of a refusal to quote it; its status counts even if the rest never comes. */
function takeRefusal(response: IncomingMessage, { watch }: Receiving, ending: Ending): BodyTaker {
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
  ending.overIn(Math.min(watch.idleMs, watch.firstByteMs, REFUSAL_MS), end);
  return {
    take(bytes) {
      chunks.push(bytes);
      received += bytes.length;
      if (received > REFUSAL_BYTES) ending.over(end());
    },
    end,
  };
}
