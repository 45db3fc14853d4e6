/**
 * Requests to servers of packages, which are not trusted: https only (http on this machine), a few redirects that never lead to
 * another host of a private network, and limits of size and time. Honours `https_proxy` and `no_proxy`.
 */
import { lookup as resolveHost } from 'node:dns';
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { toPlainText } from '@crewagent/protocol/plain-text';
import { CrewError } from '../base/crew-error.ts';
import { isLoopbackHost, isPrivateHost } from '../base/private-host.ts';
import { isPublicAddress } from '../base/public-address.ts';
import { createPolicySource } from '../policy/policy-source.ts';
import { requireAllowed } from '../policy/restrict.ts';
import { type Environment, findProxy, openTunnel } from './proxy.ts';

export interface FetchOptions {
  readonly maxBytes: number;
  /** The address that a person chose or trusts, if `address` comes from its server. */
  readonly from?: URL | undefined;
  readonly method?: 'GET' | 'PUT';
  readonly body?: Buffer;
  /** For each address separately, because a token is for one server only. */
  readonly headersFor?: (address: URL) => Readonly<Record<string, string>>;
  readonly env?: Environment | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly limits?: { readonly idleMs: number; readonly totalMs: number };
}

export interface Fetched {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const MAX_REDIRECTS = 5;
const LIMITS = { idleMs: 30_000, totalMs: 300_000 };

/** Throws PACKAGE_UNREACHABLE; an answer with an error status is returned. */
export async function fetchBytes(address: URL, options: FetchOptions): Promise<Fetched> {
  const from = options.from ?? address;
  let at = address;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    await requireSafe(at, from);
    await requireAddress(at, options.env);
    const fetched = await exchange(at, at.host === from.host, options);
    const { location } = fetched.headers;
    const isRedirect = fetched.status >= 300 && fetched.status < 400 && location !== undefined;
    if (!isRedirect) return fetched;
    if (options.method === 'PUT')
      throw unreachable(at, 'redirects instead of accepting what is sent. Use the address it redirects to');
    if (!URL.canParse(location, at.href)) throw unreachable(at, 'redirects to something that is no address');
    at = new URL(location, at);
  }
  throw unreachable(at, 'redirects too often');
}

/** Throws USAGE for an address that a person may not use, and PACKAGE_UNREACHABLE for one that a server may not lead to. */
async function requireSafe(at: URL, from: URL): Promise<void> {
  const isChosen = at === from;
  const refuse = (reason: string): CrewError =>
    isChosen
      ? new CrewError('USAGE', `${shown(at)} cannot be used: ${reason}.`)
      : unreachable(from, `leads to ${shown(at)}, which is not followed: ${reason}`);
  const isLocal = at.protocol === 'http:' && isLoopbackHost(at.hostname) && at.host === from.host;
  if (at.protocol !== 'https:' && !isLocal) throw refuse('it does not start with https://');
  if (at.username !== '' || at.password !== '') throw refuse('it contains a password');
  if (at.host !== from.host && (await isPrivateHost(at.hostname))) throw refuse('it is in a private network');
}

/** Throws POLICY_FORBIDS, also for what an allowed address redirects to. */
export async function requireAddress(address: URL, env: Environment | undefined): Promise<void> {
  const policies = await createPolicySource(env).read();
  requireAllowed(policies, { kind: 'address', address });
}

async function exchange(at: URL, isFirstHost: boolean, options: FetchOptions): Promise<Fetched> {
  const { env = process.env, limits = LIMITS } = options;
  const timeout = AbortSignal.timeout(limits.totalMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    const response = await send(at, { isFirstHost, signal, env, ...options, limits });
    return await receive(response, at, options.maxBytes);
  } catch (error) {
    if (error instanceof CrewError) throw error;
    if (options.signal?.aborted) throw new CrewError('USAGE', 'Stopped; nothing was installed.');
    if (timeout.aborted) throw unreachable(at, 'takes too long to answer. Try again later');
    const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw unreachable(at, `cannot be reached${reason}. Check the address and your network connection`, error);
  }
}

interface Request extends FetchOptions {
  readonly isFirstHost: boolean;
  readonly signal: AbortSignal;
  readonly env: Environment;
  readonly limits: NonNullable<FetchOptions['limits']>;
}

async function send(at: URL, request: Request): Promise<IncomingMessage> {
  const { method = 'GET', body, headersFor, signal, limits, env, isFirstHost } = request;
  const proxy = findProxy(at, env);
  const options: RequestOptions = {
    method,
    signal,
    headers: {
      'user-agent': 'crewagent',
      'accept-encoding': 'identity',
      ...(body && { 'content-length': body.length }),
      ...headersFor?.(at),
    },
    // With an agent, Node ignores `createConnection` and connects directly.
    ...(proxy
      ? { createConnection: await openTunnel(proxy, at, signal) }
      : { agent: false, lookup: isFirstHost ? resolveHost : lookupPublic }),
  };
  const { request: open } = at.protocol === 'https:' ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    const outgoing = open(at, options, resolve);
    outgoing.on('error', reject);
    outgoing.setTimeout(limits.idleMs, () =>
      outgoing.destroy(unreachable(at, 'takes too long to answer. Try again later')),
    );
    outgoing.end(body);
  });
}

/** The address that is connected to is the one that was checked. */
const lookupPublic: LookupFunction = (hostname, options, callback) =>
  resolveHost(hostname, options, (error, address, family) => {
    const found = typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
    const isPrivate = found.some((one) => isIP(one) === 0 || !isPublicAddress(one));
    callback(error ?? (isPrivate ? new Error(`${hostname} is in a private network`) : null), address, family);
  });

async function receive(response: IncomingMessage, at: URL, maxBytes: number): Promise<Fetched> {
  const { statusCode: status = 0, headers } = response;
  const encoding = headers['content-encoding'];
  const stop = (error: CrewError): never => {
    response.destroy();
    throw error;
  };
  if (encoding !== undefined && encoding !== 'identity')
    stop(unreachable(at, 'compresses its answer, which was not asked for'));
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) stop(unreachable(at, `sends more than ${mebibytes(maxBytes)}`));
    chunks.push(chunk);
  }
  if (!response.complete) stop(unreachable(at, 'ended its answer too early. Try again'));
  return { status, headers, body: Buffer.concat(chunks) };
}

function mebibytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / 1_048_576))} MiB`;
}

export function unreachable(at: URL, what: string, cause?: unknown): CrewError {
  return new CrewError('PACKAGE_UNREACHABLE', `${shown(at)} ${what}.`, { cause });
}

/** Without a query, which may contain a token. */
export function shown({ protocol, host, pathname }: URL): string {
  return toPlainText(`${protocol}//${host}${pathname}`).slice(0, 200);
}
