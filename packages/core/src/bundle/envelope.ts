/**
 * Encryption of a run with a passphrase: AES-256-GCM in chunks, each with its number and whether it is the last one, under a key made with
 * scrypt. A chunk that was changed, moved or cut off does not open.
 */
import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { WriteChunk } from '../base/durable-files.ts';
import { refused } from '../transfer/unpack-works.ts';

const MAGIC = Buffer.from('CREWRUN1', 'latin1');
const SALT_BYTES = 16;
const HEADER_BYTES = MAGIC.length + 1 + SALT_BYTES;
const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
/** Logarithm of the cost of a guess: 128 MiB and half a second. A file that asks for more than the maximum is refused. */
const COST = { made: 17, least: 14, most: 18 } as const;
const BLOCK = 8;

const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

async function toKey(passphrase: string, header: Buffer): Promise<Buffer> {
  const N = 2 ** (header[MAGIC.length] ?? 0);
  const salt = header.subarray(MAGIC.length + 1);
  // The same passphrase typed on another system may have another form.
  return deriveKey(passphrase.normalize('NFKC'), salt, 32, { N, r: BLOCK, p: 1, maxmem: 256 * N * BLOCK });
}

export interface Encryption {
  write: WriteChunk;
  /** Writes the last chunk. */
  end(): Promise<void>;
}

export async function encryptTo(write: WriteChunk, passphrase: string): Promise<Encryption> {
  const header = Buffer.concat([MAGIC, Buffer.from([COST.made]), randomBytes(SALT_BYTES)]);
  const key = await toKey(passphrase, header);
  let waiting = Buffer.alloc(0);
  let number = 0;
  const seal = async (chunk: Buffer, isLast: boolean): Promise<void> => {
    const cipher = createCipheriv('aes-256-gcm', key, toNonce(number++, isLast)).setAAD(header);
    await write(Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]));
  };
  await write(header);
  return {
    async write(chunk) {
      waiting = Buffer.concat([waiting, chunk]);
      let at = 0;
      // The last chunk is never empty: what fills one exactly waits for more.
      for (; waiting.length - at > CHUNK_BYTES; at += CHUNK_BYTES)
        await seal(waiting.subarray(at, at + CHUNK_BYTES), false);
      waiting = waiting.subarray(at);
    },
    end: () => seal(waiting, true),
  };
}

export async function isEncrypted(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
  return bytesRead === MAGIC.length && buffer.equals(MAGIC);
}

/** Throws TRANSFER_REFUSED for another passphrase and for a file that was changed, after what came before was written. */
export async function decryptTo(handle: FileHandle, passphrase: string, write: WriteChunk): Promise<void> {
  const { size } = await handle.stat();
  const header = await readAt(handle, 0, HEADER_BYTES);
  const cost = header[MAGIC.length] ?? 0;
  if (cost < COST.least || cost > COST.most || size < HEADER_BYTES + TAG_BYTES)
    throw refused('the beginning of the encrypted file was changed, or is of a newer version');
  const key = await toKey(passphrase, header);
  let number = 0;
  for (let position = HEADER_BYTES; position < size; position += CHUNK_BYTES + TAG_BYTES) {
    const sealed = await readAt(handle, position, Math.min(CHUNK_BYTES + TAG_BYTES, size - position));
    const isLast = position + sealed.length === size;
    const chunk = open(sealed, { key, header, nonce: toNonce(number, isLast) });
    if (!chunk)
      throw refused(
        number === 0
          ? 'the passphrase is not the right one, or the beginning of the file was changed'
          : `the encrypted file was changed or cut off between byte ${position} and ${position + sealed.length}`,
      );
    await write(chunk);
    number++;
  }
}

interface Sealing {
  readonly key: Buffer;
  readonly header: Buffer;
  readonly nonce: Buffer;
}

function open(sealed: Buffer, { key, header, nonce }: Sealing): Buffer | undefined {
  if (sealed.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(header)
    .setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    // Not authentic.
    return undefined;
  }
}

/** Every file has a key of its own, so a number is enough. */
function toNonce(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(number, 7);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead === length) return buffer;
  throw refused('the encrypted file is cut off');
}
