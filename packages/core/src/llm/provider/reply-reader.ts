/**
 * Reads the body of a successful response into a reply: an event stream, or one document if a provider ignores
 * `stream`. The format is detected from the first characters, because content types are often wrong. Knows no sockets
 * and no clocks.
 */

import { StringDecoder } from 'node:string_decoder';
import { isObject, parseJson } from '@crewagent/protocol/json-object';
import { createParser } from 'eventsource-parser';
import type { ModelError, ModelReply } from '../llm-adapter.ts';
import { type Peer, toStreamError } from './http-errors.ts';
import { createReplyAssembler, type ReplyIssue, type ReplyProgress } from './reply-assembler.ts';

export interface ReplyReader {
  /** The response begins; `contentType` may be empty. */
  open(contentType: string): void;
  read(bytes: Uint8Array): ReadState;
  /** The reply of all bytes; an incomplete reply is an error. */
  end(): ReadReply;
}

/**
 * `nothing`: no data in these bytes. `data`: the reply grew. `finished`: the model gave its finish reason. `done`:
 * the response is complete. `failed`: the response cannot succeed any more.
 */
export type ReadState = 'nothing' | 'data' | 'finished' | 'done' | 'failed';

export type ReadReply =
  | { readonly ok: true; readonly reply: ModelReply; readonly isStreamed: boolean }
  | { readonly ok: false; readonly error: ModelError };

export interface ReplyReaderOptions {
  readonly peer: Peer;
  readonly toolNames: readonly string[];
  /** A longer reply is an error. */
  readonly maxLength: number;
  onProgress(progress: ReplyProgress): void;
}

type BodyKind = 'events' | 'document' | 'other';

export function createReplyReader({
  peer,
  toolNames,
  maxLength,
  onProgress,
}: ReplyReaderOptions): ReplyReader {
  const decoder = new StringDecoder('utf8');
  const assembler = createReplyAssembler(toolNames, onProgress);
  const events = createEventReader(addEvent);
  let isLabelledStream = false;
  let kind: BodyKind | undefined;
  let text = '';
  let isDone = false;
  let hasEnded = false;
  let error: ModelError | undefined;

  function addText(piece: string): boolean {
    if (kind === 'events') return events.read(piece);
    if (kind === 'document') {
      text += piece;
      if (text.length > maxLength + DOCUMENT_OVERHEAD) error = tooLong(peer, maxLength);
      return piece.trim() !== '';
    }
    // Blank lines and a byte order mark are skipped.
    text = (text + piece).trimStart();
    kind = kindOf(text, isLabelledStream);
    if (kind === 'other') error = notAnApi(peer);
    return kind === 'events' ? events.read(text) : kind === 'document';
  }

  function addEvent(data: string, isError: boolean): void {
    if (isDone || error !== undefined) return;
    if (data.trim() === '[DONE]') isDone = true;
    else addJson(data, isError);
  }

  function addJson(json: string, isError: boolean): void {
    const value = parseJson(json);
    if (!isObject(value)) {
      error = hasEnded ? cutOff(peer) : badReply(`${peer.host} sent an event that is not JSON`, true);
      return;
    }
    const providerError = isError ? (value.error ?? value) : assembler.add(value);
    if (providerError !== undefined) error = toStreamError(providerError, peer);
    else if (assembler.length() > maxLength) error = tooLong(peer, maxLength);
  }

  function addDocument(): void {
    if (error !== undefined) return;
    const value = parseJson(text);
    const completion: unknown = Array.isArray(value) ? value[0] : value;
    if (!isObject(completion)) {
      error = Array.isArray(value) && value.length === 0 ? empty(peer) : cutOff(peer);
      return;
    }
    const providerError = assembler.add(completion);
    if (providerError !== undefined) error = toStreamError(providerError, peer);
    else if (!Array.isArray(completion.choices))
      error = isEmptyCompletion(completion) ? empty(peer) : notAnApi(peer);
    else if (assembler.length() > maxLength) error = tooLong(peer, maxLength);
    isDone = true;
  }

  return {
    open(contentType) {
      isLabelledStream = /^text\/event-stream\b/i.test(contentType);
    },
    read(bytes) {
      const hasData = addText(decoder.write(bytes));
      if (error !== undefined) return 'failed';
      if (isDone) return 'done';
      if (assembler.hasFinished()) return assembler.hasUsage() ? 'done' : 'finished';
      return hasData ? 'data' : 'nothing';
    },
    end() {
      hasEnded = true;
      addText(decoder.end());
      if (kind === 'events') events.end();
      else if (kind === 'document') addDocument();
      else error ??= /^(?:null|"")?$/.test(text.trim()) ? empty(peer) : notAnApi(peer);
      if (error !== undefined) return { ok: false, error };
      if (!isDone && !assembler.hasFinished()) return { ok: false, error: cutOff(peer) };
      const reply = assembler.toReply();
      if (typeof reply === 'string') return { ok: false, error: replyErrorOf(reply, peer) };
      return { ok: true, reply, isStreamed: kind === 'events' };
    },
  };
}

/** Undefined until enough characters have arrived. */
function kindOf(start: string, isLabelledStream: boolean): BodyKind | undefined {
  if (start === '') return undefined;
  if (start.startsWith('{') || start.startsWith('[')) return 'document';
  if (start.startsWith('<')) return 'other';
  if (isLabelledStream) return 'events';
  if (start.length < 'event:'.length) return undefined;
  return /^(?:data|event|id|retry)?:/.test(start) ? 'events' : 'other';
}

function replyErrorOf(issue: ReplyIssue, peer: Peer): ModelError {
  const { host, model } = peer;
  switch (issue) {
    case 'no choice':
      return empty(peer);
    case 'empty':
      // The same request would get the same reply: the engine adds a note.
      return {
        ...badReply(`${model} at ${host} sent a reply without text or tool calls`, false),
        details: { isEmpty: true },
      };
    case 'spent':
      return badReply(
        `${model} used up its limit of output tokens before it wrote any text; raise maxOutputTokens`,
        false,
      );
    case 'interrupted':
      return brokenOff(`${host} interrupted the reply`);
    case 'unwritable arguments':
      return badReply(`${model} at ${host} sent a tool call whose arguments are nested too deeply`, true);
  }
}

/** Allowance for the parts of a document besides the reply. */
const DOCUMENT_OVERHEAD = 1024 * 1024;

/** Overloaded providers send `choices: null` or an empty object. */
function isEmptyCompletion(completion: Readonly<Record<string, unknown>>): boolean {
  return 'choices' in completion || Object.keys(completion).length === 0;
}

function empty({ host }: Peer): ModelError {
  return badReply(`${host} sent an empty response`, true);
}

function tooLong({ host }: Peer, maxLength: number): ModelError {
  const limit = Math.round((maxLength / 1024 / 1024) * 100) / 100;
  return badReply(
    `The reply of ${host} is longer than ${limit} MiB and was discarded; choose another model, or raise maxReplyMiB`,
    false,
  );
}

function cutOff({ host }: Peer): ModelError {
  return brokenOff(`The reply of ${host} was cut off`);
}

/** The connection failed, not the model. */
function brokenOff(sentence: string): ModelError {
  return { ...badReply(sentence, true), details: { isBrokenOff: true } };
}

function notAnApi({ host }: Peer): ModelError {
  return badReply(
    `The response of ${host} is not from an OpenAI-compatible API; check the address, which usually ends in /v1`,
    false,
  );
}

export function badReply(sentence: string, isRetryable: boolean): ModelError {
  return { code: 'LLM_BAD_RESPONSE', message: `${sentence}.`, isRetryable };
}

const PING = /^(?:ping|keep-?alive|heartbeat)$/i;
const DATA_FIELD = 'data:';

/**
 * Parses server-sent events from text chunks of any size. Reports for each chunk whether it contained data, because comments
 * and pings are not progress.
 */
function createEventReader(onEvent: (data: string, isError: boolean) => void) {
  let events = 0;
  let lineStart = '';
  const parser = createParser({
    onEvent({ event, data }) {
      if (data.trim() === '' || (event !== undefined && PING.test(event))) return;
      events++;
      onEvent(data, event === 'error');
    },
  });
  return {
    /** Returns whether the text contained data. */
    read(text: string): boolean {
      events = 0;
      parser.feed(text);
      lineStart = startOfOpenLine(lineStart, text);
      // An event may be longer than a chunk; each of its chunks counts as data.
      return events > 0 || lineStart === DATA_FIELD;
    },
    /** Emits the last event if the blank line after it is missing. */
    end: (): void => parser.feed('\n\n'),
  };
}

/** The first characters of the unterminated last line. */
function startOfOpenLine(before: string, text: string): string {
  const newLine = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
  const open = newLine === -1 ? before + text.slice(0, DATA_FIELD.length) : text.slice(newLine + 1);
  return open.slice(0, DATA_FIELD.length);
}
