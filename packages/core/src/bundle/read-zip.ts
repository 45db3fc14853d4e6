/**
 * Reads a run written by `writeZip`, and nothing else: its directory has to be, byte for byte, what the writer makes of the same entries.
 * Entries are unpacked one at a time, never beyond their declared size.
 */
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, inflateRaw, type ZlibOptions } from 'node:zlib';
import { refused } from '../transfer/unpack-works.ts';
import { LIMITS } from './limits.ts';
import { pack } from './write-zip.ts';
import {
  CENTRAL_BYTES,
  END_BYTES,
  LOCAL_BYTES,
  MAX_NOTE_BYTES,
  parseCentralHeader,
  parseComment,
  parseEnd,
  toCentralHeader,
  toEnd,
  toLocalHeader,
  type ZipEntry,
  type ZipNote,
} from './zip-form.ts';

const inflate = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);

export interface ReadZip extends ZipNote {
  readonly bytes: number;
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** Throws TRANSFER_REFUSED, with the name of the entry, if it is not what the directory says. */
  read(name: string): Promise<Buffer>;
  /** Throws TRANSFER_REFUSED, with the place, if any byte was changed. */
  verify(): Promise<void>;
}

/** Undefined for an entry that the description does not explain. */
type DescribeEntry = (name: string) => string | undefined;

/** Throws TRANSFER_REFUSED. `describe`: what an entry holds, for messages. */
export async function openZip(
  handle: FileHandle,
  describe: DescribeEntry = () => undefined,
): Promise<ReadZip> {
  const { size } = await handle.stat();
  if (size > LIMITS.fileBytes) throw refused('the file is larger than a run in one file can be');
  const { note, endAt } = await readNote(handle, size);
  const end = await readAt(handle, endAt, END_BYTES - 2);
  const { entries: count, directoryAt, directoryBytes } = parseEnd(end);
  const isPlaced =
    directoryAt + directoryBytes === endAt &&
    directoryBytes >= count * CENTRAL_BYTES &&
    end.equals(toEnd({ entries: count, directoryAt, directoryBytes }));
  if (!isPlaced) throw changed('the end of its list of contents');
  const directory = parseDirectory(await readAt(handle, directoryAt, directoryBytes), directoryAt);
  const entryAt = (name: string): PlacedEntry => {
    const found = directory.get(name);
    if (!found) throw refused(`it lacks ${describe(name) ?? `"${name}"`}`);
    return found;
  };
  const nameFor = (name: string): string => describe(name) ?? `the entry "${name}"`;
  const read = async (name: string): Promise<Buffer> =>
    (await readEntry(handle, entryAt(name), nameFor)).content;
  return {
    ...note,
    bytes: size,
    entries: directory,
    read,
    async verify() {
      if ((await digestOf(handle, endAt + END_BYTES - 2)) === note.digest) return;
      for (const placed of directory.values()) {
        const { content, packed } = await readEntry(handle, placed, nameFor);
        if (!pack(content).packed.equals(packed)) throw changed(nameFor(placed.name));
      }
      throw changed('its digest');
    },
  };
}

interface PlacedEntry extends ZipEntry {
  readonly at: number;
}

async function readNote(handle: FileHandle, size: number): Promise<{ note: ZipNote; endAt: number }> {
  const length = Math.min(size, END_BYTES + MAX_NOTE_BYTES);
  const tail = await readAt(handle, size - length, length);
  // No comment of ours contains these bytes.
  const at = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (at === -1 || at + END_BYTES > length) throw changed('its end, which is cut off or was changed');
  const comment = tail.subarray(at + END_BYTES);
  const note = parseComment(comment);
  if (!note || tail.readUInt16LE(at + END_BYTES - 2) !== comment.length)
    throw changed('its digest or signature');
  return { note, endAt: size - length + at };
}

/** Entries have to follow each other from the first byte on, sorted by name. */
function parseDirectory(bytes: Buffer, directoryAt: number): Map<string, PlacedEntry> {
  const found = new Map<string, PlacedEntry>();
  let position = 0;
  let total = 0;
  let last = '';
  let at = 0;
  for (let number = 1; at < bytes.length; number++) {
    const parsed = parseCentralHeader(bytes, at);
    const isPlain =
      parsed &&
      bytes.subarray(at, parsed.next).equals(toCentralHeader(parsed.entry, position)) &&
      parsed.entry.name > last &&
      NAME.test(parsed.entry.name);
    if (!isPlain) throw changed(`entry ${number} of its list of contents`);
    const { entry, next } = parsed;
    total += entry.bytes;
    const isBomb =
      entry.bytes > LIMITS.entryBytes ||
      entry.bytes > Math.max(entry.packedBytes, 1) * LIMITS.ratio ||
      total > LIMITS.totalBytes;
    if (isBomb) throw refused(`"${entry.name}" would unpack to more than a run in one file can hold`);
    found.set(entry.name, { ...entry, at: position });
    position += LOCAL_BYTES + entry.name.length + entry.packedBytes;
    last = entry.name;
    at = next;
  }
  if (position !== directoryAt) throw changed('the sizes in its list of contents');
  return found;
}

const NAME = /^(?:bundle\.json|contents\/[0-9a-f]{64})$/;

async function readEntry(
  handle: FileHandle,
  { at, ...entry }: PlacedEntry,
  nameFor: (name: string) => string,
) {
  const header = toLocalHeader(entry);
  const bytes = await readAt(handle, at, header.length + entry.packedBytes);
  if (!bytes.subarray(0, header.length).equals(header)) throw changed(`the header of ${nameFor(entry.name)}`);
  const packed = bytes.subarray(header.length);
  const content = entry.isDeflated ? await unpack(packed, entry.bytes) : packed;
  if (content?.length !== entry.bytes || crc32(content) !== entry.crc) throw changed(nameFor(entry.name));
  return { content, packed };
}

async function unpack(packed: Buffer, bytes: number): Promise<Buffer | undefined> {
  try {
    return await inflate(packed, { maxOutputLength: Math.max(bytes, 1), chunkSize: Math.max(bytes, 64) });
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return undefined;
  }
}

const CHUNK = 1024 * 1024;

async function digestOf(handle: FileHandle, end: number): Promise<string> {
  const hash = createHash('sha256');
  for (let position = 0; position < end; position += CHUNK)
    hash.update(await readAt(handle, position, Math.min(CHUNK, end - position)));
  return hash.digest('hex');
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw changed('its end, which is cut off');
    filled += bytesRead;
  }
  return bytes;
}

function changed(place: string) {
  return refused(`the file was changed or damaged at ${place}`);
}
