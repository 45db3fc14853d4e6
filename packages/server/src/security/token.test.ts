import { describe, expect, it } from 'vitest';
import { createToken, createTokenGate } from './token.ts';

describe('the token gate', () => {
  it('[H4] blocks an address that tries many different tokens', () => {
    let now = 0;
    const gate = createTokenGate('right', () => now);
    const tries = Array.from({ length: 20 }, (_, index) => gate.check(`Bearer wrong${index}`, 'a'));
    expect(new Set(tries)).toEqual(new Set(['wrong']));
    expect(gate.check('Bearer wrong21', 'a')).toBe('blocked');
    expect(gate.check('Bearer wrong21', 'b')).toBe('wrong');
    now = 60_001;
    expect(gate.check('Bearer wrong21', 'a')).toBe('wrong');
  });

  it('[H4] accepts the right token, whatever was tried from that address', () => {
    const gate = createTokenGate('right', () => 0);
    for (let count = 0; count < 1_000; count++) gate.check(`Bearer wrong${count}`, 'a');
    expect(gate.check('Bearer right', 'a')).toBe('ok');
    expect(gate.check('Bearer more', 'a')).toBe('blocked');
  });

  it('[H4] starts a new count every minute, which ends the block', () => {
    let now = 0;
    const gate = createTokenGate('right', () => now);
    const tryTwenty = (address = 'a') => {
      for (let count = 0; count < 20; count++) gate.check(`Bearer wrong${count}`, address);
    };
    tryTwenty();
    now = 59_999;
    expect(gate.check('Bearer probe', 'a')).toBe('blocked');
    now = 60_000;
    expect(gate.check('Bearer probe', 'a')).toBe('wrong');
    tryTwenty();
    now = 60_001;
    expect(gate.check('Bearer probe', 'a')).toBe('blocked');
    now = 120_000;
    expect(gate.check('Bearer probe', 'a')).toBe('wrong');
  });

  it('[H4] remembers a thousand addresses and forgets the oldest first', () => {
    let now = 0;
    const gate = createTokenGate('right', () => now);
    const tryOne = (address: string) => gate.check('Bearer wrong', address);
    const tryTwenty = (address: string) => {
      for (let count = 0; count < 20; count++) gate.check(`Bearer wrong${count}`, address);
    };
    tryOne('renewed');
    tryTwenty('oldest');
    for (let count = 0; count < 498; count++) tryOne(`first ${count}`);
    expect(gate.check('Bearer probe', 'oldest')).toBe('blocked');
    now = 59_999;
    tryTwenty('blocked');
    now = 60_000;
    tryTwenty('renewed');
    // A thousand addresses with these.
    for (let count = 0; count < 499; count++) tryOne(`second ${count}`);
    expect(gate.check('Bearer probe', 'blocked')).toBe('blocked');
    expect(gate.check('Bearer probe', 'renewed')).toBe('blocked');
    // Each additional address evicts the oldest one.
    for (let count = 0; count < 499; count++) tryOne(`third ${count}`);
    expect(gate.check('Bearer probe', 'blocked')).toBe('blocked');
    tryOne('one more');
    expect(gate.check('Bearer probe', 'renewed')).toBe('blocked');
    // A new attempt adds the address again, and evicts the next one.
    expect(gate.check('Bearer probe', 'blocked')).toBe('wrong');
    expect(gate.check('Bearer probe', 'renewed')).toBe('wrong');
  });

  it('[H4] counts requests without an address together, and evicts them like others', () => {
    const gate = createTokenGate('right', () => 0);
    for (let count = 0; count < 20; count++) gate.check(`Bearer wrong${count}`, undefined);
    expect(gate.check('Bearer probe', undefined)).toBe('blocked');
    for (let count = 0; count < 999; count++) gate.check('Bearer wrong', `${count}`);
    expect(gate.check('Bearer probe', undefined)).toBe('blocked');
    gate.check('Bearer wrong', 'one more');
    expect(gate.check('Bearer probe', undefined)).toBe('wrong');
  });

  it('[H1] accepts a single bearer token only, with the scheme in any letter case', () => {
    const gate = createTokenGate('right', () => 0);
    for (const header of ['Bearer right', 'bearer right', 'BEARER right'])
      expect(gate.check(header, 'a')).toBe('ok');
    for (const header of [
      ' Bearer right',
      'x Bearer right',
      'Bearer  right',
      'Bearer right x',
      'Bearer ri ght',
    ])
      expect(gate.check(header, 'a')).toBe('missing');
    expect(gate.check(`Bearer ${'x'.repeat(513)}`, 'a')).toBe('missing');
  });

  it('[H4] counts a stale page that repeats a wrong token once', () => {
    const gate = createTokenGate('right', () => 0);
    for (let count = 0; count < 1_000; count++) expect(gate.check('Bearer old', 'a')).toBe('wrong');
    for (let count = 0; count < 1_000; count++) expect(gate.check(undefined, 'a')).toBe('missing');
    expect(gate.check('Bearer right', 'a')).toBe('ok');
  });

  it('[H1] creates tokens of 256 bits', () => {
    expect(Buffer.from(createToken(), 'base64url')).toHaveLength(32);
    expect(createToken()).not.toBe(createToken());
  });
});
