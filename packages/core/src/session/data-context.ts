/**
 * Loads the document of a menu command: reads it through the mounts, validates its format and renders it for the
 * model. A document that cannot be used is rejected with a message that says how to correct it.
 */
import type { DataFormat, DataRef } from '@crewagent/protocol/commands';
import { toPlainText } from '@crewagent/protocol/plain-text';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, errnoSentence } from '../base/errno.ts';
import { type DataSummary, type DataText, describeLines, summariseData } from '../data/summarise-data.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs, OpenFile } from '../mounts/mounted-fs.ts';
import { findFirst } from '../mounts/resolve-path.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import { maskSecrets } from '../mounts/sensitive/hidden-values.ts';
import { toDataContext } from '../prompt/data-block.ts';
import { decodeText, mimeOf, withoutPartialCharacter } from '../tools/files/text-file.ts';

export interface DataLimits {
  readonly files: MountedFs;
  /** Only the first `maxBytes` of a larger file are read. */
  readonly maxBytes: number;
  /** Bytes of text that the block quotes. */
  readonly previewBytes: number;
}

export interface LoadedData {
  /** Mount path. */
  readonly path: string;
  /** `text` also if the document could not be read in its declared format. */
  readonly format: DataFormat;
  readonly bytes: number;
  readonly summary: string;
  /** The block for the model. */
  readonly text: string;
}

export async function loadData(ref: DataRef, limits: DataLimits): Promise<LoadedData> {
  const parsed = await findFirst([ref.path, ...(ref.otherwise ?? [])], limits.files);
  if (!parsed.ok) throw new CrewError('PermissionDenied', parsed.reason);
  const path = formatMountPath(parsed.path);
  const { bytes, text, isWhole, notes } = await readDocument(parsed.path, limits);
  const summary = await summariseData(ref.parseAs, { text, isWhole });
  if (summary.kind === 'broken') throw invalidFormat(path, ref.parseAs, summary);
  const isAsText = summary.kind === 'as-text';
  const format = isAsText ? 'text' : ref.parseAs;
  const description = isAsText ? describeLines({ text, isWhole }) : summary.summary;
  const block = toDataContext({
    path,
    format,
    bytes,
    summary: description,
    notes: summary.note === undefined ? notes : [...notes, summary.note],
    text,
    isWhole,
    previewBytes: limits.previewBytes,
  });
  return { path, format, bytes, summary: description, text: block };
}

interface ReadDocument extends DataText {
  readonly bytes: number;
  readonly notes: readonly string[];
}

/** Larger files are rejected. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

async function readDocument(path: MountPath, { files, maxBytes }: DataLimits): Promise<ReadDocument> {
  const shown = formatMountPath(path);
  if (path.segments.length === 0) throw folderError(path);
  try {
    return await files.withFile(path, async (file) => {
      if (file.bytes > MAX_FILE_BYTES)
        throw failed(
          `The data "${shown}" has ${file.bytes} bytes; the limit is ${MAX_FILE_BYTES}. Use a smaller part of it.`,
        );
      const { content, isWhole } = await readBeginning(file, maxBytes);
      const decoded = decodeText(content);
      if (!decoded) throw failed(`The data "${shown}" is not text (${mimeOf(shown)}); ${askForText(path)}.`);
      return {
        // A file that is being written may have changed its size since it was opened.
        bytes: isWhole ? content.length : file.bytes,
        text: maskSecrets(decoded.text),
        isWhole,
        notes: [
          ...(isWhole ? [] : [`only the first ${content.length} bytes were read`]),
          ...(decoded.encoding === 'latin1' ? ['it is not UTF-8 and was read as Latin-1'] : []),
        ],
      };
    });
  } catch (error) {
    throw toLoadError(error, path);
  }
}

async function readBeginning(
  { handle, bytes }: OpenFile,
  maxBytes: number,
): Promise<{ content: Buffer; isWhole: boolean }> {
  if (bytes <= maxBytes) return { content: await handle.readFile(), isWhole: true };
  const buffer = Buffer.alloc(maxBytes);
  const content = buffer.subarray(0, await handle.read(buffer, 0));
  return { content: withoutPartialCharacter(content), isWhole: false };
}

function toLoadError(error: unknown, path: MountPath): unknown {
  const shown = formatMountPath(path);
  if (error instanceof SandboxViolation)
    return new CrewError(
      'PermissionDenied',
      `The data "${shown}" ${error.message}; name another file as "data" in the agents.json of the package.`,
      { details: { reason: error.reason } },
    );
  const code = errnoOf(error);
  if (code === undefined) return error;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return failed(`The data "${shown}" does not exist; ${correctMenu(path)}.`);
  if (code === 'EISDIR') return folderError(path);
  return failed(`The data "${shown}" could not be read: ${errnoSentence(error)}.`);
}

function folderError(path: MountPath): CrewError {
  return failed(`The data "${formatMountPath(path)}" is a folder, not a file; ${correctMenu(path)}.`);
}

const NAMES: Readonly<Record<DataFormat, string>> = {
  json: 'JSON',
  yaml: 'YAML',
  csv: 'CSV',
  xml: 'XML',
  text: 'text',
};

function invalidFormat(
  path: string,
  format: DataFormat,
  { reason, location: { line, column } }: Extract<DataSummary, { kind: 'broken' }>,
): CrewError {
  const where = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
  return failed(
    `The data "${path}" cannot be read as ${NAMES[format]}: ${where}: ${toPlainText(reason).slice(0, 200)}; correct the file, then choose the command again.`,
    { line, column },
  );
}

function correctMenu({ mount }: MountPath): string {
  return mount === '@pkg'
    ? 'correct "data" in the agents.json of the package, or add the file to it'
    : 'put the file there, or correct "data" in the agents.json of the package';
}

function askForText({ mount }: MountPath): string {
  return mount === '@pkg' ? 'add a text version of it to the package' : 'save it as text, CSV or JSON';
}

function failed(sentence: string, details: Record<string, unknown> = {}): CrewError {
  return new CrewError('DataLoadFailed', sentence, { details });
}
