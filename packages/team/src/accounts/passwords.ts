/** Passwords: Argon2id, with the parameters that OWASP recommends. A person without one costs as much time as a wrong password. */
import { CrewError } from '@crewagent/core';
import { hash, verify } from '@node-rs/argon2';

export interface PasswordCost {
  /** In KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
}

const COST: PasswordCost = { memoryCost: 19_456, timeCost: 2 };
const MIN_LENGTH = 12;
const MAX_LENGTH = 1_000;

export function createPasswords(cost: PasswordCost = COST) {
  let unknown: Promise<string> | undefined;
  return {
    /** Throws USAGE for a password that is too easy to guess. */
    hash(password: string, email: string): Promise<string> {
      requireStrong(password, email);
      return hash(password, cost);
    },
    /** `stored` is undefined if there is no such person, or one without a password. */
    async verify(stored: string | undefined, password: string): Promise<boolean> {
      unknown ??= hash('no password has this hash', cost);
      const isRight = await verify(stored ?? (await unknown), password.slice(0, MAX_LENGTH + 1));
      return isRight && stored !== undefined;
    },
  };
}

function requireStrong(password: string, email: string): void {
  const lower = password.toLowerCase();
  const [name = ''] = email.toLowerCase().split('@');
  const isWeak =
    [...password].length < MIN_LENGTH ||
    new Set(lower).size < 5 ||
    lower === email.toLowerCase() ||
    (name.length > 3 && lower.replaceAll(name, '').length < MIN_LENGTH / 2);
  if (password.length > MAX_LENGTH || isWeak)
    throw new CrewError(
      'USAGE',
      `Choose a password of at least ${MIN_LENGTH} characters that is not your e-mail address.`,
    );
}
