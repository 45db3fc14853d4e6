/**
 * Connects the Node HTTP server to the app. Malformed requests never reach the app.
 */
import type { RequestListener, ServerResponse } from 'node:http';
import { CrewError } from '@crewagent/core';
import { ERRORS, type ErrorCode } from '@crewagent/protocol/errors';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { type ErrorOptions, toErrorResponse } from './error-response.ts';
import type { ServerEnv } from './mount.ts';
import { findRequestIssue } from './security/guard.ts';
import { SECURITY_HEADERS } from './security/security-headers.ts';

export function createRequestListener(
  app: Hono<ServerEnv>,
  errors: ErrorOptions,
  isStopping: () => boolean = () => false,
): RequestListener {
  const answer = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    // The globals `Request` and `Response` belong to the whole process.
    overrideGlobalObjects: false,
    errorHandler: (error) => toErrorResponse(toRequestError(error), errors),
  });
  return (incoming, outgoing) => {
    const issue = findRequestIssue(incoming);
    // Keep-alive connections outlive the listening socket for a moment.
    if (isStopping()) reject(outgoing, 'SERVER_STOPPING', 'The server is stopping. Try again later.');
    else if (issue !== undefined) reject(outgoing, 'REQUEST_REFUSED', issue);
    else void answer(incoming, outgoing);
  };
}

/** A request that cannot be parsed is an error of the client. */
function toRequestError(error: unknown): unknown {
  const isRequest = error instanceof Error && error.name === 'RequestError';
  return isRequest ? new CrewError('REQUEST_REFUSED', 'The request could not be parsed.') : error;
}

function reject(outgoing: ServerResponse, code: ErrorCode, message: string): void {
  const headers = { ...SECURITY_HEADERS, 'content-type': 'application/json', connection: 'close' };
  outgoing.writeHead(ERRORS[code].httpStatus, headers);
  outgoing.end(JSON.stringify({ error: { code, message } }));
}
