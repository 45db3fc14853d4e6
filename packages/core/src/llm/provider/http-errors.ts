/**
 * An answer that is no reply, as an error: which code, whether trying again may help, and a sentence that says what came
 * and what to do. Pure.
 */

import type { ModelError } from '../llm-adapter.ts';
import { contextTokensIn, isContextExceeded } from './context-errors.ts';
import { type Complaint, parseComplaint, toComplaint, toQuotable } from './provider-words.ts';
import { retryAfterIn } from './retry-after.ts';

/** Whom we spoke to, for sentences. */
export interface Peer {
  readonly host: string;
  readonly model: string;
  /** Only to keep it out of what is shown. */
  readonly apiKey: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Its beginning, if it is long. */
  readonly body: string;
}

export function toHttpError({ status, headers, body }: HttpAnswer, peer: Peer): ModelError {
  if (status >= 300 && status < 400) return toRedirectError(status, headers.location, peer);
  const error = toRefusal(status, parseComplaint(body), peer);
  const retryAfterMs = error.isRetryable ? retryAfterIn(headers) : undefined;
  if (retryAfterMs === undefined) return error;
  const minutes = Math.ceil(retryAfterMs / 60_000);
  const wait = minutes > 1 ? ` It asks to wait ${minutes} minutes.` : '';
  return { ...error, message: `${error.message}${wait}`, retryAfterMs };
}

/** An error that came where a reply should be: as an event of the stream, or as a document with status 200. */
export function toStreamError(error: unknown, peer: Peer): ModelError {
  const complaint = toComplaint(error);
  const status = statusIn(complaint);
  return toRefusal(status ?? statusLike(complaint), complaint, peer, status !== undefined);
}

function statusIn({ fields }: Complaint): number | undefined {
  return [fields.code, fields.status]
    .map(Number)
    .find((status) => Number.isInteger(status) && status >= 400 && status < 600);
}

/** The status that an error would have come with, had it come before the stream. */
function statusLike({ codes }: Complaint): number {
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
    message: `${peer.host} redirects${where} (${status}). Redirects are not followed, so that the key goes nowhere else; set the base URL to the address that answers.`,
    isRetryable: false,
    details: { status },
  };
}

function toRefusal(status: number, complaint: Complaint, peer: Peer, isTold = true): ModelError {
  const quotable = toQuotable(complaint.message, peer.apiKey);
  const said = quotable === '' ? '' : `: "${quotable}"`;
  const kind = kindOf(status, complaint, peer);
  return {
    code: kind.code,
    message: `${kind.what}${isTold ? ` (${status})` : ''}${said}${/[.!?]"$/.test(said) ? '' : '.'} ${kind.todo}`,
    isRetryable: kind.isRetryable ?? false,
    details: {
      ...(isTold ? { status } : {}),
      ...(quotable === '' ? {} : { host: peer.host, quote: quotable }),
      ...kind.details,
    },
  };
}

interface RefusalKind extends Pick<ModelError, 'code' | 'details'> {
  readonly what: string;
  readonly todo: string;
  readonly isRetryable?: boolean;
}

function kindOf(status: number, complaint: Complaint, { host, model, apiKey }: Peer): RefusalKind {
  if (isTooLong(status, complaint)) {
    const contextTokens = contextTokensIn(complaint);
    return {
      code: 'LLM_CONTEXT_EXCEEDED',
      what: `The request is longer than ${model} takes`,
      todo: 'Choose a model with a larger context, or load this one with more.',
      ...(contextTokens === undefined ? {} : { details: { contextTokens } }),
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
    };
  }
  const isOutOfCredit = status === 402 || /insufficient_(?:quota|balance)|billing/.test(complaint.codes);
  if (isOutOfCredit) {
    return {
      code: status === 429 ? 'LLM_RATE_LIMITED' : 'LLM_HTTP_ERROR',
      what: `The account at ${host} has no credit left`,
      todo: 'Top it up, or choose another model.',
    };
  }
  if (status === 429) {
    return {
      code: 'LLM_RATE_LIMITED',
      what: `${host} was asked too often`,
      todo: 'Wait a moment, then go on.',
      isRetryable: true,
    };
  }
  if (status === 404) {
    return {
      code: 'LLM_HTTP_ERROR',
      what: `${host} has no model "${model}", or no such address`,
      todo: "Check the model's name and the base URL, which usually ends in /v1.",
    };
  }
  if (isPassing(status)) {
    return {
      code: 'LLM_HTTP_ERROR',
      what: `${host} could not answer`,
      todo: 'Try again later.',
      isRetryable: true,
    };
  }
  if ((status === 400 || status === 422) && ABOUT_MESSAGES.test(complaint.message)) {
    return {
      code: 'LLM_MESSAGES_REFUSED',
      what: `${host} does not take the messages of this step`,
      todo: 'Start this step again, or choose another model.',
    };
  }
  return {
    code: 'LLM_HTTP_ERROR',
    what: `${host} refused the request`,
    todo: 'Check the settings of this model.',
  };
}

/** Words of a complaint about what was said before, not about the settings of the model. */
const ABOUT_MESSAGES =
  /\bmessages?\b.{0,40}(?:\d|\[|role|order|content|must|invalid)|\btool_call(?:s|_id)?\b|tool call|\broles?\b|reasoning_content|thought_signature|function (?:call|response)/i;

function isTooLong(status: number, complaint: Complaint): boolean {
  if (status === 401 || status === 403) return false;
  // A limit per minute that this one request exceeds: waiting does not help, a shorter request does.
  if (status === 429) return /request too large/i.test(complaint.message);
  return status === 413 || isContextExceeded(complaint);
}

/** Conditions that pass by themselves. */
function isPassing(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || (status >= 500 && status !== 501);
}
