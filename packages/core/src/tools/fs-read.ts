/**
 * `fs.read`: a text file whole, or a window of it. Size and hash are always those of the whole file.
 */
import { createHash } from 'node:crypto';
import type { ToolResult } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { sha256Of } from '../base/sha256.ts';
import { formatMountPath } from '../mounts/mount-path.ts';
import type { MountedFs, OpenFile } from '../mounts/mounted-fs.ts';
import type { FileReader } from '../mounts/open-path.ts';
import { decodeText, isBinary, mimeOf, withoutPartialCharacter } from './text-file.ts';
import { countLines, previewOf, sliceLines } from './text-window.ts';
import { answer, defineTool, failure, type Tool } from './tool.ts';
import { toFileFailure } from './tool-failure.ts';
import { answerMissing, type ToolPaths } from './tool-paths.ts';
import type { UnseenSteps } from './unseen-steps.ts';

const schema = z.strictObject({
  path: z.string().min(1).describe('@project/…, @pkg/… or @state/…'),
  startLine: z.int().min(1).optional().describe('First line to return, from 1.'),
  endLine: z.int().min(1).optional().describe('Last line to return.'),
});

type Arguments = z.infer<typeof schema> & { readonly signal: AbortSignal };

export interface ReadLimits {
  readonly maxReadBytes: number;
  /** What goes into one answer; larger files come as a preview. */
  readonly inlineReadBytes: number;
}

/** What is read whole and decoded; larger files are only looked through. */
const WHOLE_BYTES = 4 * 1024 * 1024;
const PREVIEW_BYTES = 8 * 1024;

export interface FsReadParts {
  readonly files: MountedFs;
  readonly paths: ToolPaths;
  readonly unseenSteps: UnseenSteps;
}

export function createFsRead({ files, paths, unseenSteps }: FsReadParts, limits: ReadLimits): Tool {
  return defineTool({
    name: 'fs.read',
    family: 'fs',
    description:
      'Reads a text file. Large files come as a preview: then read a range of lines, or use fs.search.',
    schema,
    async run(args, call) {
      const { signal } = call;
      const found = await paths.find(args.path, call);
      if (found.failure) return answerMissing(found);
      const { path } = found;
      const shown = formatMountPath(path);
      const unseen = path.mount === '@pkg' ? (await unseenSteps.look())(path) : undefined;
      if (unseen) return answer(unseen, { path: shown });
      try {
        return answer(
          await files.withFile(path, (file) => readOpened(file, shown, { ...args, signal }, limits)),
          { path: shown },
        );
      } catch (error) {
        signal.throwIfAborted();
        return answer(toFileFailure(error, shown), { path: shown });
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
  const scan = file.bytes <= WHOLE_BYTES ? await readWhole(file) : await lookThrough(file, args);
  const { bytes, sha256 } = scan;
  const decoded = scan.isPartial && isBinary(scan.content) ? undefined : decodeText(scan.content);
  if (!decoded) {
    const hint = 'This is not text. Tell the person what you need from it, or look for a text version.';
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
        ? `"${path}" is empty; leave out startLine and endLine.`
        : `"${path}" has ${totalLines} lines; ask for a range within 1 and ${totalLines}.`,
    );
  }
  const content = scan.isPartial ? decoded.text : sliceLines(decoded.text, { startLine, endLine });
  const size = Buffer.byteLength(content);
  if (size > limits.maxReadBytes) {
    return failure(
      'E_READ_LIMIT',
      `Lines ${startLine} to ${endLine} are ${size} bytes, more than the ${limits.maxReadBytes} that may be read at once; ask for fewer lines.`,
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
    hint: `This is the beginning. Read on with startLine and endLine (the file has ${totalLines} lines), or find the place with fs.search.`,
  };
}

interface Scan {
  readonly bytes: number;
  readonly sha256: string;
  /** The whole file, or what was asked for out of a large one. */
  readonly content: Buffer;
  readonly isPartial: boolean;
  readonly totalLines?: number;
}

async function readWhole({ handle }: OpenFile): Promise<Scan> {
  const content = await handle.readFile();
  return { bytes: content.length, sha256: sha256Of(content), content, isPartial: false };
}

/** A large file in pieces: hashed, its lines counted, and the wanted lines (or the beginning) kept, up to a bound. */
async function lookThrough({ handle }: OpenFile, args: Arguments): Promise<Scan> {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  const [first, last] = [args.startLine ?? 1, args.endLine ?? Number.POSITIVE_INFINITY];
  let snapshotBytes = 0;
  let bytes = 0;
  let line = 1;
  let lastByte = 0;
  let isCut = false;
  for await (const chunk of chunksOf(handle)) {
    // The time limit and a stop end it here: a file may be longer than anybody waits.
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
      isCut = snapshotBytes >= WHOLE_BYTES;
      if (!isCut) kept.push(Buffer.from(chunk.subarray(from, to)));
      snapshotBytes += to - from;
    }
    lastByte = chunk.at(-1) ?? 0;
  }
  const content = Buffer.concat(kept);
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
