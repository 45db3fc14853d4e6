/**
 * The text of PDF, Word and Excel files as Markdown: pages and sheets are headings. Such files come from anywhere, so they are parsed
 * in a thread that is terminated when it takes too long or too much memory. Parsers are loaded with the first such file.
 */
import { createWorkerRoom } from '../../base/worker/worker-room.ts';
import { type ExtractIssue, type Extraction, type ExtractJobs, isProtected } from './extraction.ts';

export interface ExtractedText {
  readonly ok: true;
  readonly text: string;
}

/** `reason`: a sentence for the model. */
export type ExtractResult = ExtractedText | { readonly ok: false; readonly reason: string };

export interface ExtractLimits {
  readonly timeMs: number;
  /** By how much the memory of this process may grow meanwhile: the heap of a thread has a limit, its buffers have none. */
  readonly memoryBytes: number;
}

const LIMITS: ExtractLimits = { timeMs: 20_000, memoryBytes: 512 * 1024 * 1024 };

/** The format by the name of a file; undefined if it has no text to extract. */
export function documentFormatOf(path: string): keyof ExtractJobs | undefined {
  const [, extension = ''] = /\.(pdf|doc[xm]|dotx|xls[xm]|xltx)$/i.exec(path) ?? [];
  if (extension === '') return undefined;
  return FORMATS[extension.toLowerCase().charAt(0)];
}

const FORMATS: Readonly<Record<string, keyof ExtractJobs>> = { p: 'pdf', d: 'word', x: 'sheets' };

export interface DocumentFile {
  readonly content: Uint8Array;
  readonly sha256: string;
}

/** Undefined if the content is of another format than the name says. Throws only the reason of an abort. */
export async function extractText(
  format: keyof ExtractJobs,
  { content, sha256 }: DocumentFile,
  signal: AbortSignal,
  limits: ExtractLimits = LIMITS,
): Promise<ExtractResult | undefined> {
  if (!hasFormat(format, content)) return undefined;
  const known = recent.get(sha256);
  if (known) return known;
  const guard = createGuard(limits, signal);
  try {
    const extraction = await thread.run<Extraction>(format, content, guard.signal);
    const result = 'text' in extraction ? toText(extraction) : refuse(extraction.issue);
    recent.set(sha256, result);
    for (const oldest of recent.keys()) if (recent.size > MAX_RECENT) recent.delete(oldest);
    return result;
  } catch {
    signal.throwIfAborted();
    return refuse(guard.exceeded() ?? 'too-expensive');
  } finally {
    guard.end();
  }
}

/** A model reads a long document in several calls. */
const MAX_RECENT = 4;
const recent = new Map<string, ExtractResult>();

/** Word and Excel files are archives, or with a password a container of the formats before 2007. */
function hasFormat(format: keyof ExtractJobs, content: Uint8Array): boolean {
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, 1_024));
  if (format === 'pdf') return head.includes('%PDF-');
  return isProtected(head) || head.toString('latin1', 0, 4) === 'PK\u0003\u0004';
}

function toText({ text, isCut }: Extract<Extraction, { text: string }>): ExtractResult {
  if (text.trim() === '') return refuse('no-text');
  return {
    ok: true,
    text: isCut ? `${text}\n\n[The rest of this file is left out: it is too long.]\n` : text,
  };
}

function refuse(issue: keyof typeof REASONS): ExtractResult {
  return { ok: false, reason: REASONS[issue] };
}

const REASONS: Readonly<Record<ExtractIssue | 'no-text' | 'too-slow' | 'too-expensive', string>> = {
  damaged: 'This file is damaged, or not what its name says, so its text cannot be read.',
  encrypted:
    'This file is protected by a password, so its text cannot be read. Ask the user for a copy without one.',
  'no-text': 'This file contains no text, perhaps scanned pages only. Ask the user for a version with text.',
  'too-slow':
    'Extracting the text of this file took too long. Ask the user for a part of it, or a simpler version.',
  'too-expensive': 'Extracting the text of this file needs too much memory. Ask the user for a part of it.',
};

/** Its own thread: the memory of the tools' thread is not limited. */
const thread = createWorkerRoom<ExtractJobs>(async () => (await import('./extract-jobs.ts?thread')).default, {
  maxOldGenerationSizeMb: 512,
});

const POLL_MS = 50;

/** Aborts work that exceeds a limit. */
function createGuard({ timeMs, memoryBytes }: ExtractLimits, outer: AbortSignal) {
  const controller = new AbortController();
  let exceeded: 'too-slow' | 'too-expensive' | undefined;
  const stop = (limit: typeof exceeded): void => {
    exceeded = limit;
    controller.abort();
  };
  const before = process.memoryUsage.rss();
  const timer = setTimeout(() => stop('too-slow'), timeMs);
  const poll = setInterval(() => {
    if (process.memoryUsage.rss() - before > memoryBytes) stop('too-expensive');
  }, POLL_MS);
  return {
    signal: AbortSignal.any([outer, controller.signal]),
    exceeded: () => exceeded,
    end(): void {
      clearTimeout(timer);
      clearInterval(poll);
    },
  };
}
