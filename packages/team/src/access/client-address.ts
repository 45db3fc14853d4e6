/** The address of a client, for limits and the audit log. */
import { isIPv6 } from 'node:net';

export type AddressOf = (headers: Headers, socketAddress: string | undefined) => string;

/**
 * `proxies`: how many proxies of ours a request passes. Each of them appends the address it got the request from; what stands before these
 * entries was sent by the client and may be anything.
 */
export function createAddressReader(proxies: number): AddressOf {
  return (headers, socketAddress = 'unknown') => {
    const forwarded = (headers.get('x-forwarded-for') ?? '').split(',').map((text) => text.trim());
    const address = proxies === 0 ? socketAddress : (forwarded.at(-proxies) ?? socketAddress);
    return toNetwork(address);
  };
}

/** Somebody with an IPv6 address has 2^64 of them: they count as one. */
function toNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return plain.slice(0, 45).replace(/[^\d.a-z]/gi, '');
  const [head = '', tail] = plain.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : 8 - left.length - right.length;
  return `${[...left, ...Array<string>(Math.max(gap, 0)).fill('0'), ...right].slice(0, 4).join(':')}::/64`;
}
