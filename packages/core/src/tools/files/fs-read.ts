/**
 * `fs.read`: a whole text file, or a range of its lines. Size and hash are always those of the whole file.
 */
import { createHash } from 'node:crypto';
import type { ToolResult } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { sha256Of } from '../../base/sha256.ts';
import { formatMountPath } from '../../mounts/mount-path.ts';
import type { MountedFs, OpenFile } from '../../mounts/mounted-fs.ts';
import type { FileReader } from '../../mounts/open-path.ts';
import { maskBlocks } from '../../mounts/sensitive/hidden-values.ts';
import type { UnseenSteps } from '../state/unseen-steps.ts';
import { answer, defineTool, failure, type Tool } from '../tool.ts';
import { toFileFailure } from '../tool-failure.ts';
import { answerMissing, type ToolPaths } from '../tool-paths.ts';
import { decodeText, isBinary, mimeOf, withoutPartialCharacter } from './text-file.ts';
import { countLines, previewOf, sliceLines } from './text-window.ts';

const schema = z.strictObject({
  path: z.string().check(z.minLength(1), z.describe('@project/…, @pkg/… or @state/…')),
  startLine: z.optional(z.int().check(z.minimum(1))).check(z.describe('First line, from 1.')),
  endLine: z.optional(z.int().check(z.minimum(1))).check(z.describe('Last line, inclusive.')),
});

type Arguments = z.infer<typeof schema> & { readonly signal: AbortSignal };

export interface ReadLimits {
  readonly maxReadBytes: number;
  /** Limit for inline content; larger files are returned as a preview. */
  readonly inlineReadBytes: number;
}

/** Files up to this size are read into memory and decoded; larger files are streamed. */
const MAX_WHOLE_BYTES = 4 * 1024 * 1024;
const PREVIEW_BYTES = 8 * 1024;

export interface FsReadDeps {
  readonly files: MountedFs;
  readonly paths: ToolPaths;
  readonly unseenSteps: UnseenSteps;
}

export function createFsRead({ files, paths, unseenSteps }: FsReadDeps, limits: ReadLimits): Tool {
  return defineTool({
    name: 'fs.read',
    family: 'fs',
    description:
      'Reads a text file. Large files are returned as a preview; then read a range of lines, or use fs.search.',
    schema,
    async run(args, call) {
      const { signal } = call;
      const found = await paths.find(args.path, call);
      if (found.failure) return answerMissing(found);
      const { path } = found;
      const displayPath = formatMountPath(path);
      const unseen = path.mount === '@pkg' ? (await unseenSteps.load())(path) : undefined;
      if (unseen) return answer(unseen, { path: displayPath });
      try {
        return answer(
          await files.withFile(path, (file) => readOpened(file, displayPath, { ...args, signal }, limits)),
          { path: displayPath },
        );
      } catch (error) {
        signal.throwIfAborted();
        return answer(toFileFailure(error, displayPath), { path: displayPath });
      }
    },
  });
}

async function readOpened(
  file: OpenFile,
  path: string,
  args: Arguments,
  limits: ReadLimits,
): Promise<ToolResult> {
  const scan = file.bytes <= MAX_WHOLE_BYTES ? await readWhole(file) : await scanLargeFile(file, args);
  const { bytes, sha256 } = scan;
  const found = scan.isPartial && isBinary(scan.content) ? undefined : decodeText(scan.content);
  const decoded = found && { ...found, text: maskBlocks(found.text) };
  if (!decoded) {
    const hint = 'This is not a text file. Tell the user what you need from it, or look for a text version.';
    return { ok: true, path, binary: true, mime: mimeOf(path), bytes, sha256, hint };
  }
  const totalLines = scan.totalLines ?? countLines(decoded.text);
  const facts = {
    path,
    bytes,
    sha256,
    ...(decoded.encoding === 'utf8' ? {} : { encoding: decoded.encoding }),
  };
  if (args.startLine === undefined && args.endLine === undefined) {
    const inline = Math.min(limits.inlineReadBytes, limits.maxReadBytes);
    if (!scan.isPartial && Buffer.byteLength(decoded.text) <= inline)
      return { ok: true, ...facts, truncated: false, content: decoded.text };
    return { ok: true, ...facts, ...preview(decoded.text, totalLines, Math.min(PREVIEW_BYTES, inline)) };
  }
  const startLine = args.startLine ?? 1;
  const endLine = Math.min(args.endLine ?? totalLines, totalLines);
  if (startLine > Math.max(totalLines, 1) || startLine > Math.max(endLine, 1)) {
    return failure(
      'TOOL_ARGS_INVALID',
      totalLines === 0
        ? `"${path}" is empty; omit startLine and endLine.`
        : `"${path}" has ${totalLines} lines; request a range between 1 and ${totalLines}.`,
    );
  }
  const content = scan.isPartial ? decoded.text : sliceLines(decoded.text, { startLine, endLine });
  const size = Buffer.byteLength(content);
  if (size > limits.maxReadBytes) {
    return failure(
      'E_READ_LIMIT',
      `Lines ${startLine} to ${endLine} are ${size} bytes, more than the ${limits.maxReadBytes} that may be read at once; request fewer lines.`,
    );
  }
  if (size > limits.inlineReadBytes) {
    return {
      ok: true,
      ...facts,
      ...preview(content, totalLines, Math.min(PREVIEW_BYTES, limits.inlineReadBytes)),
      startLine,
    };
  }
  return { ok: true, ...facts, truncated: false, content, startLine, endLine, totalLines };
}

function preview(text: string, totalLines: number, maxBytes: number) {
  const contentPreview = previewOf(text, maxBytes);
  return {
    truncated: true,
    contentPreview,
    totalLines,
    hint: `This is only the beginning. Continue with startLine and endLine (the file has ${totalLines} lines), or locate the passage with fs.search.`,
  };
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
async function scanLargeFile({ handle }: OpenFile, args: Arguments): Promise<Scan> {
  const hash = createHash('sha256');
  const parts: Buffer[] = [];
  const [first, last] = [args.startLine ?? 1, args.endLine ?? Number.POSITIVE_INFINITY];
  let collectedBytes = 0;
  let bytes = 0;
  let line = 1;
  let lastByte = 0;
  let isCut = false;
  for await (const chunk of chunksOf(handle)) {
    // Reading may take longer than the time limit, so an abort is checked for each chunk.
    args.signal.throwIfAborted();
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
