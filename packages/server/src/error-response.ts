/**
 * Converts errors to responses, in this file only. A `CrewError` keeps its code and message; any other error is a bug and is
 * reported as an id.
 */
import { randomUUID } from 'node:crypto';
import { CrewError } from '@crewagent/core';
import type { ErrorBody } from '@crewagent/protocol/api/error-body';
import { ERRORS } from '@crewagent/protocol/errors';
import type { Redact } from './security/redact.ts';

export interface ErrorOptions {
  readonly redact: Redact;
  onBug(id: string, error: unknown): void;
}

export function toErrorResponse(error: unknown, { redact, onBug }: ErrorOptions): Response {
  const { status, body, headers } =
    error instanceof CrewError ? toKnownError(error) : toInternalError(error, onBug);
  return new Response(redact(JSON.stringify(body)), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  });
}

interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
}

function toKnownError({ code, message, details }: CrewError): ErrorAnswer {
  const hasDetails = Object.values(details).some((value) => value !== undefined);
  return {
    status: ERRORS[code].httpStatus,
    body: { error: { code, message, ...(hasDetails ? { details: { ...details } } : {}) } },
    headers: {
      ...(code === 'TOKEN_REQUIRED' ? { 'www-authenticate': 'Bearer' } : {}),
      ...(typeof details.retryAfterSeconds === 'number'
        ? { 'retry-after': String(details.retryAfterSeconds) }
        : {}),
      // The rest of the body is not read.
      ...(UNREAD.has(code) ? { connection: 'close' } : {}),
    },
  };
}

const UNREAD: ReadonlySet<string> = new Set(['BODY_TOO_LARGE', 'BODY_TOO_SLOW', 'BODY_NOT_JSON']);

function toInternalError(error: unknown, onBug: ErrorOptions['onBug']): ErrorAnswer {
  const id = randomUUID().slice(0, 8);
  onBug(id, error);
  const message = `Internal error (${id}). This is a bug in CrewAgent, not a problem with your input.`;
  return { status: 500, body: { error: { code: 'INTERNAL', message, details: { id } } }, headers: {} };
}
