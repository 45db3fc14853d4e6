/**
 * Reads a project file for display: as text if it is text and not too long, as bytes for images and downloads.
 */
import type { FileContent, LineEnding } from '@crewagent/protocol/api/files';
import { sha256Of } from '../base/sha256.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs, OpenFile } from '../mounts/mounted-fs.ts';
import mimeTypes from '../tools/files/mime-types.json' with { type: 'json' };
import { type DecodedText, decodeText, encodeText, mimeOf, newlineOf } from '../tools/files/text-file.ts';
import { tooLarge } from './file-errors.ts';
import { nameOf } from './project-path.ts';

/** Longer texts are not included in a response. */
const MAX_TEXT_BYTES = 4 * 1_048_576;
/** Larger files are not read into memory. */
export const MAX_FILE_BYTES = 32 * 1_048_576;

export async function readTextFile(files: MountedFs, path: MountPath): Promise<FileContent> {
  return files.withFile(path, async (file) => {
    const facts = {
      path: formatMountPath(path),
      bytes: file.bytes,
      modifiedAt: toTimestamp(file.modifiedMs),
    };
    if (file.bytes > MAX_TEXT_BYTES)
      return { ...facts, mime: mimeTypeOf(nameOf(path), false), isTooLarge: true };
    const content = await file.handle.readFile();
    const decoded = decodeLossless(content);
    const base = {
      ...facts,
      bytes: content.length,
      mime: mimeTypeOf(nameOf(path), decoded !== undefined),
      isTooLarge: false,
      sha256: sha256Of(content),
    } as const;
    if (!decoded) return { ...base, kind: 'binary' };
    return { ...base, kind: 'text', ...decoded, lineEnding: lineEndingOf(decoded.text) };
  });
}

export type FileBytes = Awaited<ReturnType<typeof readFileBytes>>;

export async function readFileBytes(files: MountedFs, path: MountPath) {
  return files.withFile(path, async (file) => {
    const bytes = await readWhole(file, path);
    return {
      bytes,
      sha256: sha256Of(bytes),
      mime: mimeTypeOf(nameOf(path), decodeText(bytes) !== undefined),
      modifiedAt: toTimestamp(file.modifiedMs),
    };
  });
}

/** Throws FILE_TOO_LARGE above `MAX_FILE_BYTES`. */
export async function readWhole({ bytes, handle }: OpenFile, path: MountPath): Promise<Buffer> {
  if (bytes > MAX_FILE_BYTES) throw tooLarge(formatMountPath(path), bytes, MAX_FILE_BYTES);
  return handle.readFile();
}

/** Decodes text only if encoding it again gives the same bytes. */
export function decodeLossless(content: Buffer): DecodedText | undefined {
  const decoded = decodeText(content);
  if (!decoded) return undefined;
  return encodeText(decoded.text, decoded.encoding)?.equals(content) ? decoded : undefined;
}

function lineEndingOf(text: string): LineEnding {
  if (!text.includes('\n')) return 'none';
  const newline = newlineOf(text);
  if (newline === undefined) return 'mixed';
  return newline === '\r\n' ? 'crlf' : 'lf';
}

const TEXT_TYPES: Readonly<Record<string, string>> = mimeTypes.text;
const UNKNOWN = 'application/octet-stream';

/** MIME type guessed from the file name, for display only. */
function mimeTypeOf(name: string, isText: boolean): string {
  const extension = name.includes('.') ? name.toLowerCase().split('.').at(-1) : undefined;
  const known = (extension && TEXT_TYPES[extension]) || mimeOf(name);
  return known === UNKNOWN && isText ? 'text/plain' : known;
}

/** File system time as ISO text; file systems allow times outside the range of Date. */
export function toTimestamp(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, 0), LATEST_MS)).toISOString();
}

const LATEST_MS = Date.UTC(9999, 11, 31);
