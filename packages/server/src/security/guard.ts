/**
 * Access control: first the Host header, then the Origin, then who asks. Every request passes these guards before anything
 * else looks at it.
 */
import type { IncomingMessage } from 'node:http';
import { CrewError } from '@crewagent/core';
import type { Context, Next } from 'hono';
import type { ServerEnv } from '../mount.ts';
import type { Access } from './access.ts';
import type { OwnHosts } from './own-hosts.ts';

/** Describes what is wrong with a request that no well-behaved client sends; undefined if it is acceptable. */
export function findRequestIssue({
  url = '',
  rawHeaders,
}: Pick<IncomingMessage, 'url' | 'rawHeaders'>): string | undefined {
  if (!url.startsWith('/') || url.startsWith('//'))
    return 'The request target must be a path that begins with a single slash.';
  // Up to the query.
  if (/^[^?]*?(?:[\\\0]|%(?:00|2e|2f|5c)|\/\.\.?(?:[/?]|$))/i.test(url))
    return 'The path contains characters that are not allowed.';
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const doubled = ONLY_ONCE.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  return doubled === undefined ? undefined : `The header "${doubled}" was sent more than once.`;
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
      throw new CrewError('HOST_REFUSED', 'This server does not answer to that host name.');
    if (!METHODS.has(c.req.method)) throw new CrewError('METHOD_REFUSED', 'This method is not supported.');
    await next();
  };
}

/**
 * Browsers send an Origin with every request that changes something. Requests without one are rejected as well, so that other
 * clients have to set it deliberately. Reads by our own page have no Origin, but `Sec-Fetch-Site` says where they come from.
 * `publicOrigin`: of a server behind a proxy.
 */
export function guardOrigin(publicOrigin?: string) {
  return async (c: Context<ServerEnv>, next: Next): Promise<void> => {
    const { method } = c.req;
    const origin = c.req.header('origin');
    const isReading = method === 'GET';
    // `guardHost` has checked the host.
    const own = publicOrigin ?? `http://${c.req.header('host')}`;
    const isOwn = origin === undefined ? isReading : origin.toLowerCase() === own.toLowerCase();
    const site = c.req.header('sec-fetch-site');
    const isFromHere = site === undefined || site === 'same-origin' || site === 'none';
    if (!isOwn || !isFromHere)
      throw new CrewError('ORIGIN_REFUSED', `Only requests with the Origin ${own} are accepted.`);
    if (method === 'HEAD') throw new CrewError('METHOD_REFUSED', 'Use GET.');
    await next();
  };
}

export function guardAccess(access: Access) {
  return async (c: Context<ServerEnv>, next: Next): Promise<void> => {
    const address = c.env.incoming?.socket.remoteAddress;
    c.set('viewer', await access.authenticate(c.req.raw.headers, address));
    await next();
  };
}
