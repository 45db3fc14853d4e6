/**
 * A folder as an uncompressed zip, so that it is uploaded like one. Paths are relative to the folder; version control and
 * installed dependencies are left out.
 */
import { ApiError } from '@crewagent/protocol/api/client';

export interface FolderFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly file: Blob;
}

/** A folder beyond these is not what anybody meant to import; the server reads less. */
const MAX_FILES = 10_000;
const MAX_BYTES = 60 * 1024 * 1024;

const SKIPPED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules']);

export function isSkipped(name: string): boolean {
  return SKIPPED.has(name);
}

export async function packFolder(name: string, files: readonly FolderFile[]): Promise<File> {
  const packed = files.filter(({ path }) => !path.split('/').some(isSkipped));
  const bytes = packed.reduce((sum, { file }) => sum + file.size, 0);
  if (packed.length > MAX_FILES || bytes > MAX_BYTES)
    throw new ApiError(413, {
      code: 'FILE_TOO_LARGE',
      message: `"${name}" has ${packed.length} files and ${Math.ceil(bytes / 1024 / 1024)} MiB.`,
    });
  const locals: BlobPart[] = [];
  const central: BlobPart[] = [];
  let offset = 0;
  let centralBytes = 0;
  for (const { path, file } of packed) {
    const data = new Uint8Array(await file.arrayBuffer());
    const encoded = new TextEncoder().encode(path);
    const shared = sharedFields(encoded.length, data);
    const local = join([0x50, 0x4b, 3, 4], shared, encoded);
    const tail = new DataView(new ArrayBuffer(14));
    tail.setUint32(10, offset, true);
    const entry = join([0x50, 0x4b, 1, 2, 20, 0], shared, new Uint8Array(tail.buffer), encoded);
    locals.push(local, data);
    central.push(entry);
    offset += local.length + data.length;
    centralBytes += entry.length;
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, packed.length, true);
  end.setUint16(10, packed.length, true);
  end.setUint32(12, centralBytes, true);
  end.setUint32(16, offset, true);
  return new File([...locals, ...central, end], `${name}.zip`, { type: 'application/zip' });
}

/** The part that a local header and its central entry have in common: stored, UTF-8 names, no dates. */
function sharedFields(nameBytes: number, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(26));
  view.setUint16(0, 20, true);
  view.setUint16(2, 0x800, true);
  view.setUint32(6, 0x00210000, true);
  view.setUint32(10, crc32(data), true);
  view.setUint32(14, data.length, true);
  view.setUint32(18, data.length, true);
  view.setUint16(22, nameBytes, true);
  return new Uint8Array(view.buffer);
}

function join(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}
