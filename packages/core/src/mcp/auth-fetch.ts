/**
 * Fetch for logins. Addresses come from an MCP server and its authorization server, which are untrusted: only https, or http on
 * this machine, and no address of a private network on behalf of a public server.
 */
import type { FetchLike } from '@modelcontextprotocol/client';
import { isLoopbackHost, isPrivateHost } from '../base/private-host.ts';
import { createLimitedFetch } from './open-client.ts';

const MAX_RESPONSE_BYTES = 1_048_576;
const TIMEOUT_MS = 30_000;

/** A TypeError, because the SDK ignores other errors while it looks for metadata. */
export class UnsafeAddress extends TypeError {}

/** Sends no headers of the MCP server, follows no redirects, and checks every address. */
export function createAuthFetch(serverUrl: string): FetchLike {
  const limitedFetch = createLimitedFetch(MAX_RESPONSE_BYTES);
  return async (url, init) => {
    await requireSafeAddress(new URL(url), new URL(serverUrl));
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    return limitedFetch(url, {
      ...init,
      signal: init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout,
    });
  };
}

/** Rejects with `UnsafeAddress`. A name that resolves to another address a moment later is not detected. */
export async function requireSafeAddress(address: URL, server: URL): Promise<void> {
  const isSecure =
    address.protocol === 'https:' || (address.protocol === 'http:' && isLoopbackHost(address.hostname));
  if (!isSecure) throw new UnsafeAddress(`${shown(address)} does not use https.`);
  if (address.username || address.password) throw new UnsafeAddress(`${shown(address)} contains a password.`);
  if (address.hostname === server.hostname || (await isPrivateHost(server.hostname))) return;
  if (await isPrivateHost(address.hostname))
    throw new UnsafeAddress(`${shown(address)} is in a private network, and the MCP server is not.`);
}

function shown({ protocol, host }: URL): string {
  return JSON.stringify(`${protocol}//${host}`.slice(0, 200));
}
