import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHostList, parseTarget } from './connections.ts';

const isAllowed = createHostList(['example.org', '*.cdn.example', 'git.example:8443']);

/** Pieces that parsers of addresses disagree about. */
const pieces = fc.constantFrom(
  ...['example.org', 'EXAMPLE.ORG', 'a.cdn.example', 'cdn.example', 'git.example', 'evil.test', '127.0.0.1'],
  ...[
    ':443',
    ':80',
    ':22',
    ':8443',
    ':',
    '.',
    '..',
    '@',
    '/',
    '\\',
    '#',
    '?',
    '%00',
    '%2e',
    '[',
    ']',
    '*',
    '-',
    '_',
  ],
  ...['\0', '\r\n', '\n', ' ', '\t', '。', '．', 'ⓔ', 'ß', 'xn--', '::1', '0x7f', '2130706433', 'localhost'],
);
const authorities = fc.array(pieces, { maxLength: 6 }).map((list) => list.join(''));

describe('the target of a request', () => {
  it('[T150] is allowed only if every parser reads it as an allowed name and port', () => {
    let allowed = 0;
    fc.assert(
      fc.property(authorities, (authority) => {
        const target = parseTarget(authority, 80);
        if (!target || !isAllowed(target)) return;
        allowed++;
        const { name, port } = target;
        expect(name).toMatch(/^(?:example\.org|[a-z0-9_.-]+\.cdn\.example|git\.example)$/);
        expect(name === 'git.example' ? [8443] : [80, 443]).toContain(port);
        // The parser of browsers, which folds characters, decodes and drops.
        const { hostname, username } = new URL(`http://${authority}`);
        expect([hostname.replace(/\.$/, ''), username]).toEqual([name, '']);
      }),
      { numRuns: 20_000 },
    );
    expect(allowed).toBeGreaterThan(0);
  });
});
