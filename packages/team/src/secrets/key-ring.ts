/**
 * The keys that encrypt secrets in the database: AES-256-GCM with a random nonce. The first key encrypts, all of them decrypt. What is
 * encrypted is bound to its place: a row that is copied over another one cannot be read there.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { CrewError } from '@crewagent/core';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealed {
  readonly keyId: string;
  /** Nonce, tag, ciphertext. */
  readonly bytes: Buffer;
}

export interface KeyRing {
  /** Of the key that encrypts. */
  readonly keyId: string;
  seal(text: string, place: readonly string[]): Sealed;
  /** Throws STORE_DAMAGED if the key is missing, or the bytes are not what was sealed at this place. */
  open(sealed: Sealed, place: readonly string[]): string;
}

/** `text`: keys of 32 bytes in base64, separated by commas or lines; the current one first. */
export function parseKeys(text: string): KeyRing {
  const keys = text.split(/[\s,]+/).filter((part) => part !== '');
  const decoded = keys.map((key) => Buffer.from(key, 'base64'));
  const [current] = decoded;
  if (!current || decoded.some(({ length }) => length !== KEY_BYTES))
    throw new CrewError(
      'USAGE',
      `The secret key must have ${KEY_BYTES} random bytes in base64. Make one with "openssl rand -base64 ${KEY_BYTES}".`,
    );
  const byId = new Map(decoded.map((key) => [idOf(key), key]));
  return {
    keyId: idOf(current),
    seal: (text, place) => ({ keyId: idOf(current), bytes: encrypt(current, text, place) }),
    open({ keyId, bytes }, place) {
      const key = byId.get(keyId);
      if (!key)
        throw new CrewError(
          'STORE_DAMAGED',
          `Secrets are encrypted with the key ${keyId}, which this server does not have. Add it to the secret keys.`,
        );
      return decrypt(key, bytes, place);
    },
  };
}

/** From `CREWAGENT_SECRET_KEY`, or from the file that `CREWAGENT_SECRET_KEY_FILE` names. */
export async function loadKeys(env: Readonly<Record<string, string | undefined>>): Promise<KeyRing> {
  const { CREWAGENT_SECRET_KEY: text, CREWAGENT_SECRET_KEY_FILE: file } = env;
  if (text) return parseKeys(text);
  if (!file)
    throw new CrewError(
      'USAGE',
      'Set CREWAGENT_SECRET_KEY or CREWAGENT_SECRET_KEY_FILE: provider keys are encrypted.',
    );
  const found = await stat(file).catch(() => undefined);
  if (!found) throw new CrewError('USAGE', 'The file of CREWAGENT_SECRET_KEY_FILE cannot be read.');
  // A group may read it: volumes of containers are mounted so.
  if (process.platform !== 'win32' && (found.mode & 0o007) !== 0)
    throw new CrewError(
      'USAGE',
      'Other users can access the file of CREWAGENT_SECRET_KEY_FILE; run "chmod 600" on it.',
    );
  return parseKeys(await readFile(file, 'utf8'));
}

/** Says nothing about the key. */
function idOf(key: Buffer): string {
  return createHash('sha256').update('crewagent key id').update(key).digest('hex').slice(0, 16);
}

function encrypt(key: Buffer, text: string, place: readonly string[]): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(toAssociated(place));
  const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]);
}

function decrypt(key: Buffer, bytes: Buffer, place: readonly string[]): string {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(toAssociated(place))
      .setAuthTag(tag);
    const content = bytes.subarray(NONCE_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8');
  } catch {
    throw new CrewError(
      'STORE_DAMAGED',
      'Encrypted secrets were changed or moved; restore them from a backup.',
    );
  }
}

/** As JSON, in which no two places are alike. */
function toAssociated(place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(['crewagent', 1, ...place]));
}
