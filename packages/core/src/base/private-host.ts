/** Whether a host of an address is this machine, or in a private network. */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** `hostname` as in a `URL`. */
export function isLoopbackHost(hostname: string): boolean {
  const name = withoutBrackets(hostname);
  if (isLocalName(name)) return true;
  loopback ??= createLoopback();
  return isIP(name) !== 0 && loopback.check(name, isIP(name) === 6 ? 'ipv6' : 'ipv4');
}

/** A name that resolves to another address a moment later is not detected. */
export async function isPrivateHost(hostname: string): Promise<boolean> {
  const name = withoutBrackets(hostname);
  if (isLocalName(name)) return true;
  // A name that does not resolve fails in the request.
  const addresses =
    isIP(name) === 0 ? await lookup(name, { all: true }).catch(() => []) : [{ address: name }];
  return addresses.some(({ address }) => !isPublicAddress(address));
}

function isLocalName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

let loopback: BlockList | undefined;

function createLoopback(): BlockList {
  const list = new BlockList();
  list.addSubnet('127.0.0.0', 8);
  list.addAddress('::1', 'ipv6');
  return list;
}
