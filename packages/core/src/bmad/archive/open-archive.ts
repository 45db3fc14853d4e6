/**
 * Reads a zip without unpacking it: the directory is checked first, then entries are inflated one by one and verified against
 * their declared size and checksum. Writes nothing.
 */
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, inflateRaw, inflateRawSync, type ZlibOptions } from 'node:zlib';
import { type Entry, fromBufferPromise, fromFdPromise, getFileNameLowLevel, type ZipFile } from 'yauzl';
import type { Findings } from '../findings/findings.ts';
import { addTooManyEntries, checkEntries, type EntryFacts, LIMITS, printable } from './entry-rules.ts';
import { DamagedFile, type PackageFiles } from './package-files.ts';

const inflateInThread = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);

const SMALL_ARCHIVE = 8 * 1024 * 1024;
const SMALL_ENTRY = 64 * 1024;

/** The archive's files; undefined, with findings, if the archive must not be used. */
export async function readArchive(
  handle: FileHandle,
  path: string,
  findings: Findings,
): Promise<PackageFiles | undefined> {
  let entries: Entry[];
  let source: Source;
  try {
    source = await openSource(handle);
    entries = await readDirectory(source.zip, LIMITS.entries + 1);
  } catch (error) {
    await addUnreadable(handle, path, error, findings);
    return undefined;
  }
  if (entries.length > LIMITS.entries) {
    addTooManyEntries(findings);
    entries.pop();
  }
  checkProtection(entries, findings);
  if (sharesBytes(entries, source))
    findings.add('ARCHIVE_DAMAGED', {
      file: path,
      message: SHARED_BYTES,
      fix: 'Pack it again with an ordinary tool.',
    });
  checkEntries(entries.map(toFacts), findings);
  if (findings.hasErrors) return undefined;

  const files = new Map(
    entries.filter((entry) => toFacts(entry).kind === 'file').map((entry) => [nameOf(entry), entry]),
  );
  return {
    paths: new Set(files.keys()),
    async read(name) {
      const entry = files.get(name);
      if (!entry) throw new DamagedFile(`there is no entry "${name}"`);
      return readEntry(source, entry);
    },
  };
}

export interface ArchiveEntry extends EntryFacts {
  /** Neither encrypted nor compressed by a method we do not know. */
  readonly isReadable: boolean;
  /** Throws `DamagedFile` if it does not match its declared size and checksum; never inflates more than that size. */
  read(): Promise<Buffer>;
}

/**
 * At most `limit` entries of an archive, safe or not, for a reader with rules of its own. Throws `DamagedFile` if this is not an
 * archive, or if its entries share bytes.
 */
export async function listEntries(handle: FileHandle, limit: number): Promise<ArchiveEntry[]> {
  let entries: Entry[];
  let source: Source;
  try {
    source = await openSource(handle);
    entries = await readDirectory(source.zip, limit);
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw new DamagedFile(reasonOf(error), { cause: error });
  }
  if (sharesBytes(entries, source)) throw new DamagedFile(SHARED_BYTES);
  return entries.map((entry) => ({
    ...toFacts(entry),
    isReadable: !entry.isEncrypted() && (entry.compressionMethod === 0 || entry.compressionMethod === 8),
    read: () => readEntry(source, entry),
  }));
}

interface Source {
  readonly zip: ZipFile;
  readonly bytes: number;
  /** `length` bytes from `position`; fewer at the end of the archive, which the size check of the entry detects. */
  readAt(position: number, length: number): Promise<Buffer>;
}

/** A small archive is read at once, a large one on demand. */
async function openSource(handle: FileHandle): Promise<Source> {
  const { size } = await handle.stat();
  const options = { autoClose: false, decodeStrings: false };
  if (size > SMALL_ARCHIVE) {
    const zip = await fromFdPromise(handle.fd, options);
    return { zip, bytes: size, readAt: (position, length) => readRange(handle, position, length) };
  }
  const bytes = await readRange(handle, 0, size);
  const zip = await fromBufferPromise(bytes, options);
  return {
    zip,
    bytes: size,
    readAt: async (position, length) => bytes.subarray(position, position + length),
  };
}

async function readRange(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new DamagedFile('the archive ends too early');
    filled += bytesRead;
  }
  return bytes;
}

async function readDirectory(zip: ZipFile, limit: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    entries.push(entry);
    if (entries.length === limit) break;
  }
  return entries;
}

/** Reads the compressed bytes (which are bounded), inflates them, and verifies size and checksum. */
async function readEntry({ zip, readAt }: Source, entry: Entry): Promise<Buffer> {
  const name = nameOf(entry);
  let bytes: Buffer;
  try {
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const packed = await readAt(fileDataStart, entry.compressedSize);
    bytes = entry.compressionMethod === 0 ? packed : await inflate(packed, entry.uncompressedSize);
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw new DamagedFile(`"${name}" cannot be unpacked`, { cause: error });
  }
  if (bytes.length !== entry.uncompressedSize)
    throw new DamagedFile(`"${name}" does not have the size the archive declares`);
  if (crc32(bytes) !== entry.crc32) throw new DamagedFile(`"${name}" does not match its checksum`);
  return bytes;
}

/** Never inflates more than the declared size. Small entries are done before a thread would have started. */
function inflate(packed: Buffer, size: number): Promise<Buffer> | Buffer {
  // A single output buffer of the right size; the default inflates and concatenates 16 KiB chunks.
  const options = { maxOutputLength: Math.max(size, 1), chunkSize: Math.max(size, 64) };
  return size <= SMALL_ENTRY ? inflateRawSync(packed, options) : inflateInThread(packed, options);
}

const names = new WeakMap<Entry, string>();

/** Keeps backslashes, so that `checkEntries` sees them. */
function nameOf(entry: Entry): string {
  let name = names.get(entry);
  if (name === undefined) {
    name = getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
    names.set(entry, name);
  }
  return name;
}

function toFacts(entry: Entry): EntryFacts {
  const name = nameOf(entry);
  const unixType = (entry.externalFileAttributes >>> 16) & 0o170000;
  const kind =
    unixType === 0o120000
      ? 'link'
      : name.endsWith('/')
        ? 'folder'
        : unixType === 0 || unixType === 0o100000
          ? 'file'
          : 'special';
  return { name, kind, bytes: entry.uncompressedSize, compressedBytes: entry.compressedSize };
}

function checkProtection(entries: readonly Entry[], findings: Findings): void {
  for (const entry of entries) {
    const file = printable(nameOf(entry));
    if (entry.isEncrypted()) {
      findings.add('ENTRY_ENCRYPTED', {
        file,
        message: 'this entry is encrypted',
        fix: 'Pack again without a password.',
      });
    } else if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
      findings.add('ENTRY_METHOD_UNKNOWN', {
        file,
        message: `this entry uses compression method ${entry.compressionMethod}, which is not supported`,
        fix: 'Pack again with plain "deflate" compression.',
      });
    }
  }
}

const SHARED_BYTES = 'its entries declare more bytes than the archive has';

/** Entries that share bytes would make a small archive unpack to a large one. */
function sharesBytes(entries: readonly Entry[], { bytes }: Source): boolean {
  const packed = entries.reduce((sum, entry) => sum + entry.compressedSize, 0);
  return packed > bytes;
}

const SIGNATURES: readonly (readonly [prefix: string, what: string])[] = [
  ['%PDF', 'a PDF document'],
  ['\x1f\x8b', 'a gzip archive'],
  ['7z\xbc\xaf', 'a 7-Zip archive'],
  ['Rar!', 'a RAR archive'],
  ['\x89PNG', 'a PNG picture'],
  ['\xff\xd8\xff', 'a JPEG picture'],
  ['<!DOCTYPE', 'a web page'],
  ['<html', 'a web page'],
  ['{', 'a JSON file'],
  ['---', 'a Markdown or YAML file'],
];

async function addUnreadable(
  handle: FileHandle,
  path: string,
  error: unknown,
  findings: Findings,
): Promise<void> {
  const looks = await describeOtherFile(handle);
  if (looks === undefined) {
    findings.add('ARCHIVE_DAMAGED', {
      file: path,
      message: `the archive is damaged or truncated (${reasonOf(error)})`,
      fix: 'Download the file again, or pack it again from its folder.',
    });
    return;
  }
  findings.add('NOT_AN_ARCHIVE', {
    file: path,
    message: `this is not a .bmad package: ${looks}`,
    fix: 'Use a .bmad or .zip file, or the folder that contains bmad.json.',
  });
}

/** What a file looks like that is not an archive, such as "it is empty"; undefined if it begins like a zip. */
export async function describeOtherFile(handle: FileHandle): Promise<string | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
  const head = buffer.toString('latin1', 0, bytesRead);
  if (head.startsWith('PK\x03\x04')) return undefined;
  if (bytesRead === 0) return 'it is empty';
  const what = SIGNATURES.find(([prefix]) => head.toLowerCase().startsWith(prefix.toLowerCase()))?.[1];
  return what ? `it looks like ${what}` : 'it has no zip structure';
}

/** The library's message without its details. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return printable(text.split(/[.;:\n]/)[0] ?? text).toLowerCase();
}
