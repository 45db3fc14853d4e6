/**
 * From a socket to the app and back. What no honest client sends never gets to the app.
 */
import type { RequestListener, ServerResponse } from 'node:http';
import { CrewError } from '@crewagent/core';
import { ERRORS, type ErrorCode } from '@crewagent/protocol/errors';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { type ErrorOptions, toErrorResponse } from './error-response.ts';
import { findRequestIssue } from './guard.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { ServerEnv } from './server-env.ts';

export function createRequestListener(
  app: Hono<ServerEnv>,
  errors: ErrorOptions,
  isStopping: () => boolean = () => false,
): RequestListener {
  const answer = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    // Other code of this process has its own Request and Response.
    overrideGlobalObjects: false,
    errorHandler: (error) => toErrorResponse(toSendError(error), errors),
  });
  return (incoming, outgoing) => {
    const issue = findRequestIssue(incoming);
    // Connections that were there before live on for a moment.
    if (isStopping()) refuse(outgoing, 'SERVER_STOPPING', 'The server is about to stop; try again later.');
    else if (issue !== undefined) refuse(outgoing, 'REQUEST_REFUSED', issue);
    else void answer(incoming, outgoing);
  };
}

/** What cannot be read as a request is the sender's fault. */
function toSendError(error: unknown): unknown {
  const isRequest = error instanceof Error && error.name === 'RequestError';
  return isRequest ? new CrewError('REQUEST_REFUSED', 'The request cannot be read.') : error;
}

function refuse(outgoing: ServerResponse, code: ErrorCode, message: string): void {
  const headers = { ...SECURITY_HEADERS, 'content-type': 'application/json', connection: 'close' };
  outgoing.writeHead(ERRORS[code].httpStatus, headers);
  outgoing.end(JSON.stringify({ error: { code, message } }));
}
