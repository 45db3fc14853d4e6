/**
 * Who may speak to the server: first the name it is called by, then the page a call comes from, then the token. Every call
 * goes through here before anything else is looked at.
 */
import type { IncomingMessage } from 'node:http';
import { CrewError } from '@crewagent/core';
import type { Context, Next } from 'hono';
import type { OwnHosts } from './own-hosts.ts';
import type { ServerEnv } from './server-env.ts';
import { RETRY_AFTER_SECONDS, type TokenGate } from './token.ts';

/** What no honest client sends and no later check should have to think about; undefined when it is sound. */
export function findRequestIssue({
  url = '',
  rawHeaders,
}: Pick<IncomingMessage, 'url' | 'rawHeaders'>): string | undefined {
  if (!url.startsWith('/') || url.startsWith('//'))
    return 'The target of a request is a path that begins with one slash.';
  // Up to the query.
  if (/^[^?]*?(?:[\\\0]|%(?:00|2e|2f|5c)|\/\.\.?(?:[/?]|$))/i.test(url))
    return 'The path holds characters that are not taken here.';
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const doubled = ONLY_ONCE.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  return doubled === undefined ? undefined : `The header "${doubled}" stands there more than once.`;
}

const ONLY_ONCE = [
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'last-event-id',
];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

export function guardHost(hosts: OwnHosts) {
  return async (c: Context<ServerEnv>, next: Next): Promise<void> => {
    const host = c.req.header('host');
    if (host === undefined || !hosts.has(host))
      throw new CrewError('HOST_REFUSED', 'This server is not known by that name.');
    if (!METHODS.has(c.req.method)) throw new CrewError('METHOD_REFUSED', 'That method is not taken here.');
    await next();
  };
}

/**
 * A browser names the page on every call that changes something; a call without a page is refused, too, so that other
 * clients have to say on purpose where it belongs. Reading calls of our own page have no Origin, but the browser tells
 * where they come from.
 */
export async function guardOrigin(c: Context<ServerEnv>, next: Next): Promise<void> {
  const { method } = c.req;
  const origin = c.req.header('origin');
  const isReading = method === 'GET';
  // The name was looked at before.
  const own = `http://${c.req.header('host')}`;
  const isOwn = origin === undefined ? isReading : origin.toLowerCase() === own.toLowerCase();
  const site = c.req.header('sec-fetch-site');
  const isFromHere = site === undefined || site === 'same-origin' || site === 'none';
  if (!isOwn || !isFromHere)
    throw new CrewError(
      'ORIGIN_REFUSED',
      `Calls are taken from ${own} only, and must say so with an Origin.`,
    );
  if (method === 'HEAD') throw new CrewError('METHOD_REFUSED', 'Ask with GET.');
  await next();
}

export function guardToken(gate: TokenGate) {
  return async (c: Context<ServerEnv>, next: Next): Promise<void> => {
    const address = c.env.incoming?.socket.remoteAddress;
    switch (gate.check(c.req.header('authorization'), address)) {
      case 'ok':
        return next();
      case 'blocked':
        throw new CrewError('TOO_MANY_TOKENS', 'Too many wrong tokens came from there; wait a minute.', {
          details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
        });
      case 'wrong':
        throw new CrewError('TOKEN_REQUIRED', 'That is not the token of this server.');
      case 'missing':
        throw new CrewError('TOKEN_REQUIRED', 'Send the token of this server as "Authorization: Bearer …".');
    }
  };
}
