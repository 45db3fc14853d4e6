/**
 * What a model gets of a file that it reads: the whole text, a range of lines, a section, or a preview with an outline; with line
 * numbers. Size and hash are always those of the whole file.
 */
import { numberLines } from '@crewagent/protocol/numbered-lines';
import type { ToolResult } from '@crewagent/protocol/tools';
import { findHeadings, findSections, sectionIssue, toOutline } from '../../base/markdown-headings.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs, OpenFile } from '../../mounts/mounted-fs.ts';
import { maskBlocks } from '../../mounts/sensitive/hidden-values.ts';
import { failure } from '../tool.ts';
import { type LineSpan, scanFile } from './scan-file.ts';
import { decodeText, isBinary, mimeOf } from './text-file.ts';
import { countLines, previewOf, sliceLines } from './text-window.ts';

export interface ReadRequest extends LineSpan {
  /** A heading: `## Gaps`. */
  readonly section?: string | undefined;
}

export interface ReadLimits {
  readonly maxReadBytes: number;
  /** Limit for inline content; larger files are returned as a preview. */
  readonly inlineReadBytes: number;
}

const PREVIEW_BYTES = 8 * 1024;

/** The result of `fs.read`, and of whatever else shows a model a file. Throws the usual file errors. Secrets are for the host to hide. */
export async function readForModel(
  files: MountedFs,
  path: MountPath,
  { request = {}, limits, signal }: { request?: ReadRequest; limits: ReadLimits; signal: AbortSignal },
): Promise<ToolResult> {
  return files.withFile(path, (file) =>
    readOpened(file, { path: formatMountPath(path), request, limits, signal }),
  );
}

async function readOpened(
  file: OpenFile,
  {
    path,
    request,
    limits,
    signal,
  }: { path: string; request: ReadRequest; limits: ReadLimits; signal: AbortSignal },
): Promise<ToolResult> {
  const scan = await scanFile(file, request.section === undefined ? request : {}, signal);
  const { bytes, sha256 } = scan;
  const decoded = scan.isPartial && isBinary(scan.content) ? undefined : decodeText(scan.content);
  if (!decoded) {
    const hint = 'This is not a text file. Tell the user what you need from it, or look for a text version.';
    return { ok: true, path, binary: true, mime: mimeOf(path), bytes, sha256, hint };
  }
  // The host hides other secrets; a key of several lines is not recognised once its lines are cut or numbered.
  const text = maskBlocks(decoded.text);
  const totalLines = scan.totalLines ?? countLines(text);
  const encoding = decoded.encoding === 'utf8' ? {} : { encoding: decoded.encoding };
  const facts = { path, bytes, sha256, ...encoding };
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
  const content = scan.isPartial ? text : sliceLines(text, { startLine, endLine });
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
  return /\.(?:md|mdx|markdown)$/i.test(path) ? toOutline(findHeadings(text), MAX_OUTLINE) : undefined;
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
