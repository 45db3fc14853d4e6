/**
 * The API token. Always compared, and in constant time: it is too long to be guessed, and nobody is locked out by the attempts
 * of others. An address that attempts many different wrong tokens has to wait; repeating the same wrong token, as a stale page
 * does, counts once.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { CrewError, errnoOf } from '@crewagent/core';

export function createToken(): string {
  return randomBytes(32).toString('base64url');
}

export interface TokenGate {
  /** `blocked`: wrong, after too many other wrong tokens. Requests without an address are counted together. */
  check(
    authorization: string | undefined,
    address: string | undefined,
  ): 'ok' | 'missing' | 'wrong' | 'blocked';
}

const MAX_ATTEMPTS = 20;
const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 1_000;

export const RETRY_AFTER_SECONDS = WINDOW_MS / 1_000;

export function createTokenGate(
  token: string,
  monotonicMs: () => number = () => performance.now(),
): TokenGate {
  const wanted = digest(token);
  const attempts = new Map<string | undefined, { readonly since: number; readonly tokens: Set<string> }>();

  const attemptsOf = (address: string | undefined) => {
    const known = attempts.get(address);
    if (known && monotonicMs() - known.since < WINDOW_MS) return known;
    attempts.delete(address);
    // Evicting the oldest entry is safe: more addresses do not help an attacker.
    const [oldest] = attempts.keys();
    if (attempts.size >= MAX_ADDRESSES) attempts.delete(oldest);
    const fresh = { since: monotonicMs(), tokens: new Set<string>() };
    attempts.set(address, fresh);
    return fresh;
  };

  return {
    check(authorization, address) {
      const given = authorization?.match(/^Bearer ([\w.~+/=-]{1,512})$/i)?.[1];
      if (given === undefined) return 'missing';
      const found = digest(given);
      if (timingSafeEqual(found, wanted)) return 'ok';
      const { tokens } = attemptsOf(address);
      if (tokens.size >= MAX_ATTEMPTS) return 'blocked';
      tokens.add(found.toString('base64'));
      return 'wrong';
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const MIN_LENGTH = 32;

/** A token that outlives the server, in a file that only its owner can read; created if it does not exist. */
export async function readTokenFile(file: string): Promise<string> {
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      const token = createToken();
      await handle.writeFile(`${token}\n`);
      return token;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw unusable(file, 'the file could not be created');
  }
  const { mode } = await stat(file);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw unusable(file, 'other users can read it; run "chmod 600" on it');
  const token = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (!/^[\w.~+/=-]+$/.test(token) || token.length < MIN_LENGTH)
    throw unusable(file, `it must contain a single token of at least ${MIN_LENGTH} characters`);
  return token;
}

function unusable(file: string, why: string): CrewError {
  return new CrewError('USAGE', `The token file "${file}" cannot be used: ${why}.`);
}
