/**
 * The token that opens the API. Compared in constant time, and always: it is too long to be guessed, and nobody is locked out
 * by what somebody else tries. Whoever tries different wrong ones is told to wait; the same wrong one again, as a page that was
 * left open sends it, is no new try.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

export interface TokenGate {
  /** `blocked`: wrong, after too many other wrong ones. Calls without an address are counted together. */
  check(
    authorization: string | undefined,
    address: string | undefined,
  ): 'ok' | 'missing' | 'wrong' | 'blocked';
}

const MAX_TRIES = 20;
const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 1_000;

export const RETRY_AFTER_SECONDS = WINDOW_MS / 1_000;

export function createTokenGate(
  token: string,
  monotonicMs: () => number = () => performance.now(),
): TokenGate {
  const wanted = digest(token);
  const tries = new Map<string | undefined, { readonly since: number; readonly tokens: Set<string> }>();

  const triesOf = (address: string | undefined) => {
    const known = tries.get(address);
    if (known && monotonicMs() - known.since < WINDOW_MS) return known;
    tries.delete(address);
    // Somebody who has that many addresses gets no further by taking more.
    const [oldest] = tries.keys();
    if (tries.size >= MAX_ADDRESSES) tries.delete(oldest);
    const fresh = { since: monotonicMs(), tokens: new Set<string>() };
    tries.set(address, fresh);
    return fresh;
  };

  return {
    check(authorization, address) {
      const given = authorization?.match(/^Bearer ([\w.~+/=-]{1,512})$/i)?.[1];
      if (given === undefined) return 'missing';
      const found = digest(given);
      if (timingSafeEqual(found, wanted)) return 'ok';
      const { tokens } = triesOf(address);
      if (tokens.size >= MAX_TRIES) return 'blocked';
      tokens.add(found.toString('base64'));
      return 'wrong';
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
