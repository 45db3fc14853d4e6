/**
 * The host names this server answers to. Protects against DNS rebinding: a page that pointed its own name at this machine sends
 * that name and is rejected.
 */
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

export interface OwnHosts {
  /** `host` as in a Host header, including the port. */
  has(host: string): boolean;
}

/** The three loopback names and the configured address; for a wildcard address, all addresses of the machine. */
export function createOwnHosts(host: string, port: number): OwnHosts {
  const names = new Set(['127.0.0.1', 'localhost', '[::1]', inUrl(host)]);
  if (isWildcard(host)) {
    for (const addresses of Object.values(networkInterfaces())) {
      for (const { address } of addresses ?? []) names.add(inUrl(address));
    }
  }
  const hosts = new Set([...names].map((name) => `${name.toLowerCase()}:${port}`));
  // Browsers omit the default port of http.
  if (port === 80) for (const name of names) hosts.add(name.toLowerCase());
  return { has: (wanted) => hosts.has(wanted.toLowerCase()) };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** The URL that a browser on this machine opens. */
export function toUrl(host: string, port: number): string {
  const shown = isWildcard(host) ? '127.0.0.1' : inUrl(host);
  return `http://${shown}:${port}`;
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function inUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}
