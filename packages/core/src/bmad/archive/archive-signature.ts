/**
 * The signature of an archive, in the comment at the end of the zip: beside the content and not part of it, so a package has the same
 * hash with and without. Other comments belong to the bytes of a package.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { parseObject } from '@crewagent/protocol/json-object';
import { type PackageSignature, packageSignatureSchema } from '@crewagent/protocol/package-signature';

/** The end record of a zip without its comment; the last two bytes are the length of the comment. */
const END_BYTES = 22;
const END = Buffer.from('PK\x05\x06', 'latin1');
const PREFIX = 'crewagent-signature ';
const MAX_COMMENT = 400;

interface SignedEnd {
  /** Bytes before the length of the comment. */
  readonly contentBytes: number;
  readonly signature: PackageSignature;
}

export async function readArchiveSignature(handle: FileHandle): Promise<PackageSignature | undefined> {
  return (await findSignedEnd(handle))?.signature;
}

async function findSignedEnd(handle: FileHandle): Promise<SignedEnd | undefined> {
  const { size } = await handle.stat();
  const length = Math.min(size, END_BYTES + MAX_COMMENT);
  const { buffer: tail, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  // A signature has no bytes of an end record in it, so there is one place at most.
  const at = tail.lastIndexOf(END);
  if (bytesRead < length || at === -1 || at + END_BYTES > length) return undefined;
  const comment = tail.toString('latin1', at + END_BYTES);
  if (tail.readUInt16LE(at + END_BYTES - 2) !== comment.length || !comment.startsWith(PREFIX))
    return undefined;
  const signature = packageSignatureSchema.safeParse(parseObject(comment.slice(PREFIX.length))).data;
  return signature && { contentBytes: size - length + at + END_BYTES - 2, signature };
}

/** SHA-256 of the file without its signature: the identity of a package. */
export async function hashArchive(handle: FileHandle): Promise<string> {
  const signed = await findSignedEnd(handle);
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(1024 * 1024);
  const end = signed?.contentBytes ?? Number.POSITIVE_INFINITY;
  for (let position = 0; position < end; ) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, end - position), position);
    if (bytesRead === 0) break;
    hash.update(chunk.subarray(0, bytesRead));
    position += bytesRead;
  }
  // A comment of no length.
  if (signed) hash.update(Buffer.alloc(2));
  return hash.digest('hex');
}

/** The archive without its signature. */
export async function readUnsigned(handle: FileHandle): Promise<Buffer> {
  const signed = await findSignedEnd(handle);
  const { size } = await handle.stat();
  const bytes = Buffer.alloc(size);
  await handle.read(bytes, 0, size, 0);
  return signed ? Buffer.concat([bytes.subarray(0, signed.contentBytes), Buffer.alloc(2)]) : bytes;
}

/** The archive with a signature; `archive` ends with an end record without a comment. */
export function withSignature(archive: Buffer, { key, signature }: PackageSignature): Buffer {
  const comment = Buffer.from(`${PREFIX}${JSON.stringify({ key, signature })}`, 'latin1');
  const length = Buffer.alloc(2);
  length.writeUInt16LE(comment.length);
  return Buffer.concat([archive.subarray(0, -2), length, comment]);
}
