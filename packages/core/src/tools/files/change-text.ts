/**
 * Texts about a change of a file: its diff, shortened for the model and the log, and how much of the file changes. The diff module
 * is loaded with the first change.
 */
import type { EffectFacts } from '../tool-source.ts';
import { toolThread } from '../worker/tool-worker.ts';
import { decodeText } from './text-file.ts';
import type { WriteFacts } from './write-request.ts';

/** How much of a text changes, and whether anything of the old one is left. */
export async function describeChange(
  diff: string,
  before: Buffer | undefined,
): Promise<Pick<EffectFacts, 'lines' | 'isReplaced'>> {
  const { countChanges, removesAll } = await import('./unified-diff.ts');
  const lines = countChanges(diff);
  if (!lines) return {};
  const old = (before && decodeText(before)?.text) ?? '';
  const isReplaced = old.trim() !== '' && removesAll(diff, old);
  return isReplaced ? { lines, isReplaced } : { lines };
}

const SHORT_DIFF_CHARS = 4_000;
const RESULT_DIFF_CHARS = 800;

/** The model wrote the change itself: the diff only shows where it was made. */
export function toResultDiff({ diff, isState }: Pick<WriteFacts, 'diff' | 'isState'>): string {
  const plain = diff.replace(/^Index: .*\n=+\n/m, '');
  // The runtime dates every change of the state document.
  const isDate = (hunk: string): boolean => !/^[+-](?!updatedAt:)/m.test(hunk);
  const [head = '', ...changes] = plain.split(/^(?=@@ )/m);
  const hunks = isState ? [head, ...changes.filter((hunk) => !isDate(hunk))].join('') : plain;
  return hunks.length > RESULT_DIFF_CHARS ? `${hunks.slice(0, RESULT_DIFF_CHARS)}\n…` : hunks;
}

/** As much of a diff as goes into a log. */
export function shortenDiff(diff: string): string {
  return diff.length > SHORT_DIFF_CHARS ? `${diff.slice(0, SHORT_DIFF_CHARS)}\n…` : diff;
}

/** Comparing such versions takes milliseconds, unless they have nothing in common. */
const MAX_INLINE_BYTES = 32 * 1024;

/** The exact diff of two versions of a file: of small ones at once, of large ones in a thread that ends with the call. */
export async function diffText(
  path: string,
  { before, after }: { readonly before: Buffer | undefined; readonly after: Buffer },
  signal: AbortSignal,
): Promise<string> {
  if ((before?.length ?? 0) + after.length <= MAX_INLINE_BYTES)
    return (await import('./unified-diff.ts')).diffOf(path, before, after);
  return toolThread.run('diff', { path, before, after }, signal);
}

/** Preloads the diff module for the first write of a run while the model generates its first reply. */
export function warmToolsSoon(): void {
  setTimeout(() => void import('./unified-diff.ts'), SENT_MS).unref();
}

/** The first request is sent by then. */
const SENT_MS = 10;
