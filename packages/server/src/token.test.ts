import { describe, expect, it } from 'vitest';
import { createToken, createTokenGate } from './token.ts';

describe('the gate for tokens', () => {
  it('[H4] makes those wait who try one after the other', () => {
    let now = 0;
    const gate = createTokenGate('right', () => now);
    const tries = Array.from({ length: 20 }, (_, index) => gate.check(`Bearer wrong${index}`, 'a'));
    expect(new Set(tries)).toEqual(new Set(['wrong']));
    expect(gate.check('Bearer wrong21', 'a')).toBe('blocked');
    expect(gate.check('Bearer right', 'a')).toBe('blocked');
    expect(gate.check('Bearer right', 'b')).toBe('ok');
    now = 60_001;
    expect(gate.check('Bearer right', 'a')).toBe('ok');
  });

  it('[H4] takes a page that was left open for what it is', () => {
    const gate = createTokenGate('right', () => 0);
    for (let count = 0; count < 1_000; count++) expect(gate.check('Bearer old', 'a')).toBe('wrong');
    for (let count = 0; count < 1_000; count++) expect(gate.check(undefined, 'a')).toBe('missing');
    expect(gate.check('Bearer right', 'a')).toBe('ok');
  });

  it('[H3] makes tokens of 256 bits', () => {
    expect(Buffer.from(createToken(), 'base64url')).toHaveLength(32);
    expect(createToken()).not.toBe(createToken());
  });
});
