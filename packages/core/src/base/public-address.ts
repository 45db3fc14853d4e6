/**
 * Whether an IP address is one of the public internet. Everything else is private: this machine, its networks, addresses that
 * contain another address, and addresses of clouds that give credentials to whoever asks.
 */
import { BlockList, isIP } from 'node:net';

/** Takes addresses as a resolver returns them. False for any text that is not an address, and for one with a zone. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return false;
  lists ??= createLists();
  if (family === 4) return !lists.special.check(address, 'ipv4');
  const embedded = nat64Address(address);
  if (embedded !== undefined) return isPublicAddress(embedded);
  return lists.globalUnicast.check(address, 'ipv6') && !lists.special.check(address, 'ipv6');
}

/** The IPv4 address inside `64:ff9b::/96`, which networks without IPv4 use to reach it. */
function nat64Address(address: string): string | undefined {
  const { hostname } = new URL(`http://[${address}]`);
  const groups = /^\[64:ff9b::(?:([\da-f]+):)?([\da-f]*)\]$/.exec(hostname);
  if (!groups) return undefined;
  const [high, low] = groups.slice(1).map((group) => Number.parseInt(group || '0', 16));
  if (high === undefined || low === undefined) return undefined;
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** Created when the first address is checked: few commands check any. */
let lists: AddressLists | undefined;

interface AddressLists {
  /** All other IPv6 addresses are local, multicast, reserved, or contain an IPv4 address. */
  readonly globalUnicast: BlockList;
  /** The registries of special addresses (RFC 6890), and one address that is public only by its number. */
  readonly special: BlockList;
}

function createLists(): AddressLists {
  const [globalUnicast, special] = [new BlockList(), new BlockList()];
  globalUnicast.addSubnet('2000::', 3, 'ipv6');
  for (const [net, prefix] of [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    // Link-local, with the metadata services of clouds.
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    // Multicast, reserved, broadcast.
    ['224.0.0.0', 3],
    // The host of a virtual machine in Azure.
    ['168.63.129.16', 32],
  ] as const)
    special.addSubnet(net, prefix);
  for (const [net, prefix] of [
    // Tunnels and protocols, Teredo among them.
    ['2001::', 23],
    ['2001:db8::', 32],
    // 6to4 contains an IPv4 address.
    ['2002::', 16],
    ['3fff::', 20],
  ] as const)
    special.addSubnet(net, prefix, 'ipv6');
  return { globalUnicast, special };
}
