/** Random secrets that people and programs carry: sessions, tokens, links. Only their hashes are stored. */
import { createHash, randomBytes } from 'node:crypto';

export interface SecretToken {
  readonly token: string;
  readonly hash: Buffer;
}

/** 256 random bits. */
export function createSecret(prefix = ''): SecretToken {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashSecret(token) };
}

/** Without a salt: what has 256 random bits cannot be guessed from its hash. */
export function hashSecret(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
