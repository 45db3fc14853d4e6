import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

/** First and last address of each private range, and the public neighbours of the range. */
const RANGES: readonly (readonly [first: string, last: string, neighbours: readonly string[]])[] = [
  ['0.0.0.0', '0.255.255.255', ['1.0.0.0']],
  ['10.0.0.0', '10.255.255.255', ['9.255.255.255', '11.0.0.0']],
  ['100.64.0.0', '100.127.255.255', ['100.63.255.255', '100.128.0.0']],
  ['127.0.0.0', '127.255.255.255', ['126.255.255.255', '128.0.0.0']],
  ['168.63.129.16', '168.63.129.16', ['168.63.129.15', '168.63.129.17']],
  ['169.254.0.0', '169.254.255.255', ['169.253.255.255', '169.255.0.0']],
  ['172.16.0.0', '172.31.255.255', ['172.15.255.255', '172.32.0.0']],
  ['192.0.0.0', '192.0.0.255', ['191.255.255.255', '192.0.1.0']],
  ['192.0.2.0', '192.0.2.255', ['192.0.1.255', '192.0.3.0']],
  ['192.168.0.0', '192.168.255.255', ['192.167.255.255', '192.169.0.0']],
  ['198.18.0.0', '198.19.255.255', ['198.17.255.255', '198.20.0.0']],
  ['198.51.100.0', '198.51.100.255', ['198.51.99.255', '198.51.101.0']],
  ['203.0.113.0', '203.0.113.255', ['203.0.112.255', '203.0.114.0']],
  ['224.0.0.0', '255.255.255.255', ['223.255.255.255']],
];

const METADATA = ['169.254.169.254', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fe80::a9fe:a9fe'];

const PRIVATE_V6 =
  `:: ::1 fc00:: fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe80::1 febf::1 fec0::1 ff00:: ff02::1 ff0e::1
  2001:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:10::1 2001:db8::1 2002:7f00:1:: 2002:808:808::1 3fff::1 4000::1 100::1
  64:ff9b:1::808:808 ::ffff:0:7f00:1 ::7f00:1 ::127.0.0.1 ::ffff:8.8.8.8 ::ffff:808:808`.split(/\s+/);

const PUBLIC =
  '1.1.1.1 8.8.8.8 104.16.0.34 2606:4700::6810:22 2001:4860:4860::8888 2a00:1450::5 3ffe::1'.split(' ');

describe('an address', () => {
  it.each(RANGES)('[T150] %s to %s is private, and its neighbours are public', (first, last, neighbours) => {
    expect([isPublicAddress(first), isPublicAddress(last)]).toEqual([false, false]);
    expect(neighbours.filter((neighbour) => !isPublicAddress(neighbour))).toEqual([]);
  });

  it('[T150] is private if it is a metadata service, local, multicast, reserved, or contains another one', () => {
    expect([...METADATA, ...PRIVATE_V6].filter(isPublicAddress)).toEqual([]);
    expect(PUBLIC.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  it('[T150] is private in every spelling', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const group = (high: number, low: number): string => ((high << 8) | low).toString(16);
    const heads: readonly (readonly number[])[] = [
      [10],
      [127],
      [169, 254],
      [172, 16],
      [192, 168],
      [100, 64],
      [0],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...heads), fc.tuple(octet, octet, octet, octet), (head, rest) => {
        const [a = 0, b = 0, c = 0, d = 0] = [...head, ...rest];
        const dotted = [a, b, c, d].join('.');
        const hex = `${group(a, b)}:${group(c, d)}`;
        const spellings = [
          dotted,
          ...['::ffff:', '::', '64:ff9b::', '::ffff:0:'].flatMap((prefix) => [prefix + dotted, prefix + hex]),
          `0:0:0:0:0:FFFF:${hex.toUpperCase()}`,
          `0064:FF9B:0000:0000:0000:0000:${hex}`,
          `2002:${hex}::1`,
          `fe80::${hex}%eth0`,
          `2606:4700::1%eth0`,
          `0x${group(a, b)}${group(c, d)}`,
          String(((a * 256 + b) * 256 + c) * 256 + d),
          `0${a.toString(8)}.${b}.${c}.${d}`,
          `${a}.${(b << 16) | (c << 8) | d}`,
        ];
        expect(spellings.filter(isPublicAddress)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('[T150] is public through NAT64 exactly if the address inside is', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
        const dotted = octets.join('.');
        expect(isPublicAddress(`64:ff9b::${dotted}`)).toBe(isPublicAddress(dotted));
      }),
      { numRuns: 500 },
    );
  });
});
