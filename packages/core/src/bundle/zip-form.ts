/**
 * The one form in which a run is written as a zip: sorted plain entries, no dates, no extra fields, a digest of everything before it at the
 * end. Reader and writer make the same bytes from the same entries, so that a reader accepts nothing else: no links, no second entry of a
 * name, no bytes between entries. Pure.
 */
import { type PackageSignature, packageSignatureSchema } from '@crewagent/protocol/package-signature';
import { sha256Schema } from '@crewagent/protocol/scalars';

export interface ZipEntry {
  readonly name: string;
  readonly isDeflated: boolean;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
}

export const LOCAL_BYTES = 30;
export const CENTRAL_BYTES = 46;
export const END_BYTES = 22;

const VERSION = 20;
/** Made by Unix, whose permissions are in the upper half of the attributes. */
const MADE_BY = 0x0300 | VERSION;
const PLAIN_FILE = 0o100644;
const DEFLATED = 8;
/** The first day that a zip knows. */
const DATE = 0x0021;

export function toLocalHeader(entry: ZipEntry): Buffer {
  const header = Buffer.alloc(LOCAL_BYTES);
  header.writeUInt32LE(0x04034b50, 0);
  writeFacts(header, 4, entry);
  return Buffer.concat([header, Buffer.from(entry.name)]);
}

export function toCentralHeader(entry: ZipEntry, offset: number): Buffer {
  const header = Buffer.alloc(CENTRAL_BYTES);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(MADE_BY, 4);
  writeFacts(header, 6, entry);
  header.writeUInt32LE(PLAIN_FILE * 0x10000, 38);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, Buffer.from(entry.name)]);
}

/** The fields that both headers have, in the same order. */
function writeFacts(
  header: Buffer,
  at: number,
  { name, isDeflated, crc, packedBytes, bytes }: ZipEntry,
): void {
  header.writeUInt16LE(VERSION, at);
  header.writeUInt16LE(isDeflated ? DEFLATED : 0, at + 4);
  header.writeUInt16LE(DATE, at + 8);
  header.writeUInt32LE(crc, at + 10);
  header.writeUInt32LE(packedBytes, at + 14);
  header.writeUInt32LE(bytes, at + 18);
  header.writeUInt16LE(Buffer.byteLength(name), at + 22);
}

/** The facts of the header of an entry in the directory, and where the next one begins; undefined at the end of the bytes. */
export function parseCentralHeader(
  directory: Buffer,
  at: number,
): { readonly entry: ZipEntry; readonly next: number } | undefined {
  if (at + CENTRAL_BYTES > directory.length) return undefined;
  const next = at + CENTRAL_BYTES + directory.readUInt16LE(at + 28);
  if (next > directory.length) return undefined;
  const entry = {
    name: directory.toString('latin1', at + CENTRAL_BYTES, next),
    isDeflated: directory.readUInt16LE(at + 10) === DEFLATED,
    crc: directory.readUInt32LE(at + 16),
    packedBytes: directory.readUInt32LE(at + 20),
    bytes: directory.readUInt32LE(at + 24),
  };
  return { entry, next };
}

export interface ZipEnd {
  readonly entries: number;
  readonly directoryBytes: number;
  readonly directoryAt: number;
}

/** Without the length of the comment, which the digest does not cover. */
export function toEnd({ entries, directoryBytes, directoryAt }: ZipEnd): Buffer {
  const end = Buffer.alloc(END_BYTES - 2);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(directoryBytes, 12);
  end.writeUInt32LE(directoryAt, 16);
  return end;
}

export function parseEnd(end: Buffer): ZipEnd {
  return {
    entries: end.readUInt16LE(10),
    directoryBytes: end.readUInt32LE(12),
    directoryAt: end.readUInt32LE(16),
  };
}

/** What is said of the file at its end, in the comment of the zip. */
export interface ZipNote {
  /** SHA-256 of all bytes before the length of the comment. */
  readonly digest: string;
  readonly signature: PackageSignature | undefined;
}

const PREFIX = 'crewagent-run ';
/** Of the longest comment. */
export const MAX_NOTE_BYTES = 400;

export function toComment({ digest, signature }: ZipNote): Buffer {
  const text = `${PREFIX}${[digest, ...(signature ? [signature.key, signature.signature] : [])].join(' ')}`;
  const length = Buffer.alloc(2);
  length.writeUInt16LE(text.length);
  return Buffer.concat([length, Buffer.from(text, 'latin1')]);
}

/** Undefined for any other comment. */
export function parseComment(comment: Buffer): ZipNote | undefined {
  const text = comment.toString('latin1');
  if (!text.startsWith(PREFIX)) return undefined;
  const [digest = '', key, signature, ...more] = text.slice(PREFIX.length).split(' ');
  if (!sha256Schema.safeParse(digest).success || more.length > 0) return undefined;
  if (key === undefined) return { digest, signature: undefined };
  const parsed = packageSignatureSchema.safeParse({ key, signature }).data;
  // Base64 has several texts for the same bytes.
  const isPlain = [key, signature ?? ''].every(
    (part) => Buffer.from(part, 'base64').toString('base64') === part,
  );
  return parsed && isPlain ? { digest, signature: parsed } : undefined;
}
