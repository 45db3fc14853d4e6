/**
 * Converts an error response, or a failed connection, to a `ModelError`: code, whether a retry may help, and a message that says what
 * happened and what to do. Pure.
 */

import { withoutUndefined } from '../../base/optional-fields.ts';
import type { ModelError } from '../llm-adapter.ts';
import { countIn } from '../untrusted-json.ts';
import { type ProviderError, parseProviderError, toProviderError, toQuotable } from './provider-error.ts';

/** The server, for error messages. */
export interface Peer {
  readonly host: string;
  readonly model: string;
  /** Used only to remove it from quoted text. */
  readonly apiKey: string | undefined;
}

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Possibly truncated. */
  readonly body: string;
}

export function toHttpError({ status, headers, body }: ErrorResponse, peer: Peer): ModelError {
  if (status >= 300 && status < 400) return toRedirectError(status, headers.location, peer);
  const error = toStatusError(status, parseProviderError(body), peer);
  const retryAfterMs = error.isRetryable ? retryAfterIn(headers) : undefined;
  if (retryAfterMs === undefined) return error;
  const minutes = Math.ceil(retryAfterMs / 60_000);
  const wait = minutes > 1 ? ` It asks to wait ${minutes} minutes.` : '';
  return { ...error, message: `${error.message}${wait}`, retryAfterMs };
}

/** An error in place of a reply: an event of the stream, or a document with status 200. */
export function toStreamError(error: unknown, peer: Peer): ModelError {
  const providerError = toProviderError(error);
  const status = statusIn(providerError);
  return toStatusError(status ?? statusLike(providerError), providerError, peer, status !== undefined);
}

function statusIn({ fields }: ProviderError): number | undefined {
  return [fields.code, fields.status]
    .map(Number)
    .find((status) => Number.isInteger(status) && status >= 400 && status < 600);
}

/** The status that matches an error sent inside a stream. */
function statusLike({ codes }: ProviderError): number {
  if (/rate_limit|resource_exhausted|too_many|insufficient_quota/.test(codes)) return 429;
  if (/authentication|invalid_api_key|permission/.test(codes)) return 401;
  if (/invalid_request|not_found/.test(codes)) return 400;
  return 500;
}

function toRedirectError(status: number, location: string | string[] | undefined, peer: Peer): ModelError {
  const target = typeof location === 'string' ? toQuotable(location, peer.apiKey) : '';
  const where = target === '' ? '' : ` to ${target}`;
  return {
    code: 'LLM_HTTP_ERROR',
    message: `${peer.host} redirects${where} (${status}). Redirects are not followed, so that the key goes nowhere else; set the address of the model to that one.`,
    isRetryable: false,
    details: { status },
  };
}

function toStatusError(
  status: number,
  providerError: ProviderError,
  peer: Peer,
  hasStatus = true,
): ModelError {
  const quotable = toQuotable(providerError.message, peer.apiKey);
  const quote = quotable === '' ? '' : `: "${quotable}"`;
  const kind = kindOf(status, providerError, peer);
  return {
    code: kind.code,
    message: `${kind.what}${hasStatus ? ` (${status})` : ''}${quote}${/[.!?]"$/.test(quote) ? '' : '.'} ${kind.todo}`,
    isRetryable: kind.isRetryable ?? false,
    isAboutKey: kind.isAboutKey || undefined,
    details: withoutUndefined({
      status: hasStatus ? status : undefined,
      ...(quotable === '' ? {} : { host: peer.host, quote: quotable }),
      ...kind.details,
    }),
  };
}

interface StatusErrorKind extends Pick<ModelError, 'code' | 'details'> {
  readonly what: string;
  readonly todo: string;
  readonly isRetryable?: boolean;
  readonly isAboutKey?: boolean;
}

function kindOf(
  status: number,
  providerError: ProviderError,
  { host, model, apiKey }: Peer,
): StatusErrorKind {
  if (isTooLong(status, providerError)) {
    return {
      code: 'LLM_CONTEXT_EXCEEDED',
      what: `The request is longer than the context of ${model}`,
      todo: 'Choose a model with a larger context, or increase the context of this one.',
      details: { contextTokens: contextTokensIn(providerError) },
    };
  }
  if (status === 401 || status === 403) {
    const hasKey = apiKey !== undefined;
    return {
      code: 'LLM_AUTH_FAILED',
      what: `${host} ${status === 403 ? 'denies access' : hasKey ? 'refused the API key' : 'wants an API key'}`,
      todo: hasKey
        ? 'Check that the key is correct and has access to this model.'
        : 'Set an API key for this model.',
      isAboutKey: hasKey,
    };
  }
  const isOutOfCredit = status === 402 || /insufficient_(?:quota|balance)|billing/.test(providerError.codes);
  if (isOutOfCredit) {
    return {
      code: 'LLM_OUT_OF_CREDIT',
      what: `The account at ${host} has no credit left`,
      todo: 'Top it up, or use another key or model.',
      isAboutKey: true,
    };
  }
  if (status === 429) {
    return {
      code: 'LLM_RATE_LIMITED',
      what: `${host} received too many requests`,
      todo: 'Wait a moment, then continue.',
      isRetryable: true,
      isAboutKey: true,
    };
  }
  if (isUnknownModel(status, providerError)) {
    return {
      code: 'LLM_HTTP_ERROR',
      what: `${host} has no model "${model}"`,
      todo: "Check the model's name, and that your account has access to it.",
      details: { isModelUnknown: true },
    };
  }
  if (status === 404) {
    return {
      code: 'LLM_HTTP_ERROR',
      what: `${host} has nothing at this address`,
      todo: 'Check the address of the model, which usually ends in /v1.',
    };
  }
  if (isTransient(status)) {
    return {
      code: 'LLM_HTTP_ERROR',
      what: `${host} failed to answer`,
      todo: 'Try again later.',
      isRetryable: true,
    };
  }
  if ((status === 400 || status === 422) && ABOUT_MESSAGES.test(providerError.message)) {
    return {
      code: 'LLM_MESSAGES_REFUSED',
      what: `${host} rejected the messages of this step`,
      todo: 'Start this step again, or choose another model.',
    };
  }
  return {
    code: 'LLM_HTTP_ERROR',
    what: `${host} rejected the request`,
    todo: 'Check the settings of this model.',
  };
}

/** A proxy or a wrong path also answers 404: only what the provider says tells that the model is unknown. */
function isUnknownModel(status: number, { codes, message }: ProviderError): boolean {
  if (status !== 400 && status !== 404 && status !== 422) return false;
  return /(?:model_not_found|(?:invalid|unknown)_model)/.test(codes) || MODEL_UNKNOWN.test(message);
}

const MODEL_UNKNOWN =
  /\bmodels?\b.{0,120}(?:\bnot found|\bnot exist|n['’]t exist|\bis not a valid model)|\b(?:unknown|invalid|no such) model\b|\bnot a valid model\b|\bno endpoints found for\b|^model: \S+$/i;

/** Matches errors about earlier messages rather than about the settings of the model. */
const ABOUT_MESSAGES =
  /\bmessages?\b.{0,40}(?:\d|\[|role|order|content|must|invalid)|\btool_call(?:s|_id)?\b|tool call|\broles?\b|reasoning_content|thought_signature|function (?:call|response)/i;

function isTooLong(status: number, providerError: ProviderError): boolean {
  if (status === 401 || status === 403) return false;
  // The request alone exceeds a limit per minute: a shorter request helps, waiting does not.
  if (status === 429) return /request too large/i.test(providerError.message);
  return status === 413 || isContextExceeded(providerError);
}

/** Conditions that are worth a retry. */
function isTransient(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || (status >= 500 && status !== 501);
}

// There is no standard error for a request that exceeds the context; each server has its own message.
const CODES = /context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large/;

const SENTENCES: readonly RegExp[] = [
  // OpenAI, DeepSeek, OpenRouter, Mistral, vLLM
  /maximum (?:context|model|prompt) length/i,
  // vLLM
  /too long to fit into the model/i,
  // llama.cpp
  /exceeds? the available context size/i,
  /context size has been exceeded/i,
  // Ollama
  /input length (?:and .{0,40} )?exceeds? (?:the |maximum )?context/i,
  // LM Studio
  /greater than the context length/i,
  /tokens when (?:the )?context (?:the )?overflows/i,
  /reached context length of/i,
  // Claude, Gemini, Kimi, Qwen behind compatible addresses
  /prompt is too long/i,
  /input token count.{0,30}exceeds/i,
  /exceeded model token limit/i,
  /range of input length should be/i,
  /input is too long/i,
  /exceeds? (?:the |this model's )?(?:maximum )?context (?:length|window|limit)/i,
  /context (?:length|window) (?:is |was |has been )?exceed/i,
];

const LIMITS: readonly RegExp[] = [
  /maximum (?:context|model|prompt) length (?:is|of) (\d{3,8})/i,
  /with (\d{3,8}) maximum context length/i,
  /\(context length (\d{3,8})\)/i,
  /context size \((\d{3,8}) tokens/i,
  /n_ctx:? (\d{3,8})/i,
  /context length of (?:only )?(\d{3,8})/i,
  /> ?(\d{3,8}) maximum/i,
  /tokens allowed \((\d{3,8})\)/i,
  /token limit:? (\d{3,8})/i,
  /input length should be \[1, ?(\d{3,8})\]/i,
];

function isContextExceeded({ codes, message }: ProviderError): boolean {
  return CODES.test(codes) || SENTENCES.some((sentence) => sentence.test(message));
}

/** The model's context size in tokens, if the provider named it. */
function contextTokensIn({ message, fields }: ProviderError): number | undefined {
  for (const limit of LIMITS) {
    const found = limit.exec(message)?.[1];
    if (found !== undefined) return Number(found);
  }
  return countIn(fields.n_ctx);
}

const MAX_WAIT_MS = 86_400_000;

/** The wait that a provider asks for, at most a day. A date is compared with the response's own `Date`, not with our clock. */
function retryAfterIn(headers: ErrorResponse['headers']): number | undefined {
  const seconds = toNumber(headers['retry-after']);
  const waitMs =
    toNumber(headers['retry-after-ms']) ?? (seconds === undefined ? untilDate(headers) : seconds * 1_000);
  return waitMs === undefined || waitMs < 0 ? undefined : Math.min(Math.ceil(waitMs), MAX_WAIT_MS);
}

function toNumber(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function untilDate({ date, 'retry-after': until }: ErrorResponse['headers']): number | undefined {
  if (typeof until !== 'string' || typeof date !== 'string') return undefined;
  // Only HTTP dates: `Date.parse` accepts almost anything.
  if (!/^[A-Z][a-z]{2,8}, /.test(until)) return undefined;
  const wait = Date.parse(until) - Date.parse(date);
  return Number.isNaN(wait) ? undefined : wait;
}

type NetworkIssue = readonly [codes: RegExp, what: string, todo: string, isPermanent?: true];

const ISSUES: readonly NetworkIssue[] = [
  [/^ECONNREFUSED$/, 'is not listening', 'Start the server, or check the address.'],
  [/^(?:ECONNRESET|EPIPE)$/, 'closed the connection', 'Try again. A proxy may be the cause.'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'cannot be found', 'Check the address and the network connection.'],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/,
    'cannot be reached from here',
    'Check the network connection.',
  ],
  [
    /^(?:EPROTO$|HPE_|ERR_SSL)/,
    'does not use the expected protocol',
    'Check the address: http or https, and the port.',
    true,
  ],
  [
    /CERT|SIGNATURE|ISSUER|ERR_TLS/,
    'uses a certificate that this machine does not trust',
    'Check the address; for a private certificate set NODE_EXTRA_CA_CERTS.',
    true,
  ],
];
const UNKNOWN: NetworkIssue = [/./, 'could not be reached', 'Check the address and the network connection.'];

/** The error of a failed connection. */
export function toNetworkError(cause: unknown, { host }: Peer): ModelError {
  const code = codeOf(cause);
  const [, what, todo, isPermanent = false] = ISSUES.find(([codes]) => codes.test(code)) ?? UNKNOWN;
  return {
    code: 'LLM_HTTP_ERROR',
    message: `${host} ${what} (${code}). ${todo}`,
    isRetryable: !isPermanent,
    details: { errno: code },
  };
}

function codeOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : 'UNKNOWN';
}
