/**
 * The exact diff of two versions of a file: of small ones at once, of large ones in a worker thread that ends with the
 * call. The diff module is loaded lazily: it is large, and not every run writes.
 */
import { runJob } from '../worker/tool-worker.ts';

/** Comparing such versions takes milliseconds, unless they have nothing in common. */
const MAX_INLINE_BYTES = 32 * 1024;

export async function diffText(
  path: string,
  { before, after }: { readonly before: Buffer | undefined; readonly after: Buffer },
  signal: AbortSignal,
): Promise<string> {
  if ((before?.length ?? 0) + after.length <= MAX_INLINE_BYTES)
    return (await import('./unified-diff.ts')).diffOf(path, before, after);
  return runJob('diff', { path, before, after }, signal);
}
