/**
 * What a model gets of a file that it reads: the whole text, a range of lines, a section, or a preview with an outline; with line
 * numbers. Size and hash are always those of the whole file.
 */
import { createHash } from 'node:crypto';
import { MAX_ATTACHMENT_BYTES } from '@crewagent/protocol/api/attachments';
import { numberLines } from '@crewagent/protocol/numbered-lines';
import type { ToolResult } from '@crewagent/protocol/tools';
import { findHeadings, findSections, sectionIssue, toOutline } from '../../base/markdown-headings.ts';
import { sha256Of } from '../../base/sha256.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs, OpenFile } from '../../mounts/mounted-fs.ts';
import type { FileReader } from '../../mounts/open-path.ts';
import { maskBlocks } from '../../mounts/sensitive/hidden-values.ts';
import { documentFormatOf, extractText } from '../extract/extract-text.ts';
import { failure } from '../tool.ts';
import { decodeText, isBinary, mimeOf, withoutPartialCharacter } from './text-file.ts';
import { countLines, createTextLines } from './text-lines.ts';

export interface ReadRequest extends LineSpan {
  /** A heading: `## Gaps`. */
  readonly section?: string | undefined;
}

export interface ReadLimits {
  readonly maxReadBytes: number;
  /** Limit for inline content; larger files are returned as a preview. */
  readonly inlineReadBytes: number;
}

interface ReadOptions {
  readonly request?: ReadRequest;
  readonly limits: ReadLimits;
  readonly signal: AbortSignal;
}

const PREVIEW_BYTES = 8 * 1024;

/** The result of `fs.read`, and of whatever else shows a model a file. Throws the usual file errors. Secrets are for the host to hide. */
export async function readForModel(
  files: MountedFs,
  path: MountPath,
  options: ReadOptions,
): Promise<ToolResult> {
  return files.withFile(path, (file) => readOpened(file, formatMountPath(path), options));
}

async function readOpened(file: OpenFile, path: string, options: ReadOptions): Promise<ToolResult> {
  const { request = {}, signal } = options;
  const format = file.bytes <= MAX_ATTACHMENT_BYTES ? documentFormatOf(path) : undefined;
  const scan = format
    ? await readWhole(file)
    : await scanFile(file, request.section === undefined ? request : {}, signal);
  const extracted = format && (await extractText(format, scan, signal));
  if (format && extracted) {
    if (!extracted.ok) return toBinary(scan, path, extracted.reason);
    return toResult({ scan, text: extracted.text, facts: { extractedFrom: format } }, path, options);
  }
  const decoded = scan.isPartial && isBinary(scan.content) ? undefined : decodeText(scan.content);
  if (!decoded) return toBinary(scan, path, NOT_TEXT);
  const { text, encoding } = decoded;
  return toResult({ scan, text, facts: encoding === 'utf8' ? {} : { encoding } }, path, options);
}

const NOT_TEXT = 'This is not a text file. Tell the user what you need from it, or look for a text version.';

function toBinary({ bytes, sha256 }: Scan, path: string, hint: string): ToolResult {
  return { ok: true, path, binary: true, mime: mimeOf(path), bytes, sha256, hint };
}

interface ReadText {
  readonly scan: Scan;
  readonly text: string;
  /** What the model should know about the text. */
  readonly facts: { readonly encoding?: string; readonly extractedFrom?: string };
}

function toResult(read: ReadText, path: string, { request = {}, limits }: ReadOptions): ToolResult {
  const { scan } = read;
  const { bytes, sha256 } = scan;
  // The host hides other secrets; a key of several lines is not recognised once its lines are cut or numbered.
  const text = maskBlocks(read.text);
  const totalLines = scan.totalLines ?? countLines(text);
  const facts = { path, bytes, sha256, ...read.facts };
  const span = scan.isPartial ? toLargeSpan(request, path) : toSpan(request, text, path);
  if ('ok' in span) return span;
  const { startLine = 1 } = span;
  const endLine = Math.min(span.endLine ?? totalLines, totalLines);
  if (startLine > Math.max(totalLines, 1) || startLine > Math.max(endLine, 1)) {
    return failure(
      'TOOL_ARGS_INVALID',
      totalLines === 0
        ? `"${path}" is empty; omit startLine and endLine.`
        : `"${path}" has ${totalLines} lines; request a range between 1 and ${totalLines}.`,
    );
  }
  const isWhole = startLine === 1 && endLine === totalLines;
  const isAll = scan.isPartial || isWhole;
  const content = isAll ? text : createTextLines(text).slice(startLine - 1, endLine);
  const size = Buffer.byteLength(content);
  if (size > limits.maxReadBytes && !isWhole) {
    return failure(
      'E_READ_LIMIT',
      `Lines ${startLine} to ${endLine} are ${size} bytes, more than the ${limits.maxReadBytes} that may be read at once; request fewer lines.`,
    );
  }
  const inline = Math.min(limits.inlineReadBytes, limits.maxReadBytes);
  const numbered =
    size <= inline && !(scan.isPartial && isWhole) ? numberLines(content, startLine) : undefined;
  if (numbered !== undefined && Buffer.byteLength(numbered) <= inline) {
    const part = isWhole ? { endLine } : { startLine, endLine, totalLines };
    const hint = isWhole ? {} : { hint: toHint({ startLine, endLine, totalLines }, request) };
    return { ok: true, ...facts, truncated: false, ...part, content: numbered, ...hint };
  }
  const outline = isWhole && !scan.isPartial ? outlineOf(path, text) : undefined;
  return {
    ok: true,
    ...facts,
    ...preview(content, { startLine, totalLines }, Math.min(PREVIEW_BYTES, inline)),
    ...(outline ? { outline } : {}),
  };
}

/** The lines that were requested, or why that is not clear. */
function toSpan({ section, startLine, endLine }: ReadRequest, text: string, path: string) {
  if (section === undefined) return { startLine, endLine };
  const headings = findHeadings(text);
  const [found, ...others] = findSections(headings, section);
  if (found && others.length === 0) return { startLine: found.heading.line, endLine: found.endLine };
  return failure('TOOL_ARGS_INVALID', `"${path}" ${sectionIssue(headings, section)}.`);
}

function toLargeSpan({ section, ...span }: ReadRequest, path: string) {
  if (section === undefined) return span;
  const message = `"${path}" is too large to be read by section; locate the heading with fs.search, then use startLine.`;
  return failure('E_READ_LIMIT', message);
}

const MAX_OUTLINE = 80;

function outlineOf(path: string, text: string): string | undefined {
  return /\.(?:md|mdx|markdown)$/i.test(path) || documentFormatOf(path)
    ? toOutline(findHeadings(text), MAX_OUTLINE)
    : undefined;
}

interface Part {
  readonly startLine: number;
  readonly totalLines: number;
}

function preview(text: string, { startLine, totalLines }: Part, maxBytes: number) {
  const shown = previewOf(text, maxBytes);
  const isCut = shown.length < text.length && !shown.endsWith('\n');
  const endLine = startLine + Math.max(countLines(shown), 1) - 1;
  const cut = isCut ? ` Line ${endLine} is cut; locate what you need in it with fs.search.` : '';
  return {
    truncated: true,
    startLine,
    endLine,
    totalLines,
    contentPreview: numberLines(shown, startLine),
    hint: `${toHint({ startLine, endLine, totalLines }, {})}${cut}`,
  };
}

function toHint({ startLine, endLine, totalLines }: Part & { endLine: number }, { section }: ReadRequest) {
  const more =
    endLine < totalLines && section === undefined ? ` Continue with startLine ${endLine + 1}.` : '';
  return `Lines ${startLine}–${endLine} of ${totalLines}.${more}`;
}

/** Files up to this size are read into memory and decoded; larger files are streamed. */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024;

interface LineSpan {
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
}

async function scanFile(file: OpenFile, span: LineSpan, signal: AbortSignal): Promise<Scan> {
  return file.bytes <= MAX_WHOLE_BYTES ? readWhole(file) : scanLargeFile(file, span, signal);
}

interface Scan {
  readonly bytes: number;
  readonly sha256: string;
  /** The whole file, or the requested part of a large file. */
  readonly content: Buffer;
  readonly isPartial: boolean;
  readonly totalLines?: number;
}

async function readWhole({ handle }: OpenFile): Promise<Scan> {
  const content = await handle.readFile();
  return { bytes: content.length, sha256: sha256Of(content), content, isPartial: false };
}

/**
 * Streams a large file: computes its hash, counts its lines and collects the requested lines (or the beginning) up to
 * `MAX_WHOLE_BYTES`.
 */
async function scanLargeFile(
  { handle }: OpenFile,
  { startLine, endLine }: LineSpan,
  signal: AbortSignal,
): Promise<Scan> {
  const hash = createHash('sha256');
  const parts: Buffer[] = [];
  const [first, last] = [startLine ?? 1, endLine ?? Number.POSITIVE_INFINITY];
  let collectedBytes = 0;
  let bytes = 0;
  let line = 1;
  let lastByte = 0;
  let isCut = false;
  for await (const chunk of chunksOf(handle)) {
    // Reading may take longer than the time limit, so an abort is checked for each chunk.
    signal.throwIfAborted();
    hash.update(chunk);
    bytes += chunk.length;
    let from = line >= first ? 0 : chunk.length;
    let to = line <= last ? chunk.length : 0;
    for (let newline = chunk.indexOf(10); newline !== -1; newline = chunk.indexOf(10, newline + 1)) {
      if (++line === first) from = newline + 1;
      if (line === last + 1) to = newline + 1;
    }
    if (from < to) {
      isCut = collectedBytes >= MAX_WHOLE_BYTES;
      if (!isCut) parts.push(Buffer.from(chunk.subarray(from, to)));
      collectedBytes += to - from;
    }
    lastByte = chunk.at(-1) ?? 0;
  }
  const content = Buffer.concat(parts);
  return {
    bytes,
    sha256: hash.digest('hex'),
    content: isCut ? withoutPartialCharacter(content) : content,
    isPartial: true,
    totalLines: lastByte === 10 ? line - 1 : line,
  };
}

async function* chunksOf(handle: FileReader): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  for (let position = 0; ; ) {
    const bytesRead = await handle.read(buffer, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** At most `maxBytes` of UTF-8 from the beginning, cut after a whole line if possible. */
function previewOf(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let cut = text.slice(0, maxBytes);
  while (Buffer.byteLength(cut) > maxBytes) cut = cut.slice(0, Math.floor(cut.length * 0.9));
  const lastLine = cut.lastIndexOf('\n');
  const preview = lastLine > cut.length / 2 ? cut.slice(0, lastLine + 1) : cut;
  // Do not end with half a surrogate pair.
  return /[\ud800-\udbff]$/.test(preview) ? preview.slice(0, -1) : preview;
}
