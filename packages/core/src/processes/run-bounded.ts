/** Runs a process tree to its end, within limits of time and output. */
import type { Readable } from 'node:stream';
import { type ProcessEnd, startProcessTree, type TreeCommand } from './process-tree.ts';

export interface Bounds {
  /** What the program reads from its standard input. */
  readonly input?: string;
  readonly timeoutMs: number;
  /** Both streams together. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  onOutput(chunk: Buffer, stream: 'stdout' | 'stderr'): void;
}

export interface BoundedEnd extends ProcessEnd {
  readonly cause: 'exit' | 'start' | 'time' | 'abort' | 'output';
}

export async function runBounded(command: TreeCommand, bounds: Bounds): Promise<BoundedEnd> {
  const { input = '', timeoutMs, maxBytes, signal, onOutput } = bounds;
  const tree = startProcessTree(command);
  tree.stdin.end(input);
  let cause: BoundedEnd['cause'] = 'exit';
  const stop = (why: BoundedEnd['cause']): void => {
    if (cause === 'exit') cause = why;
    void tree.kill();
  };
  let bytes = 0;
  for (const name of ['stdout', 'stderr'] as const)
    tree[name].on('data', (chunk: Buffer) => {
      // A program that is being killed can still write: no more of it is stored.
      if (bytes > maxBytes) return;
      bytes += chunk.length;
      onOutput(chunk, name);
      if (bytes > maxBytes) stop('output');
    });
  const timer = setTimeout(() => stop('time'), timeoutMs);
  const onAbort = (): void => stop('abort');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const ended = await tree.ended;
    await Promise.all([drained(tree.stdout), drained(tree.stderr)]);
    return { ...ended, cause: ended.error === undefined ? cause : 'start' };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

const DRAIN_MS = 500;

/** Output may arrive after the exit. A process that has left the tree, and still has the pipe, is not waited for. */
async function drained(stream: Readable): Promise<void> {
  if (stream.closed) return;
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    new Promise<void>((resolve) => void stream.once('close', resolve)),
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DRAIN_MS);
    }),
  ]);
  clearTimeout(timer);
  stream.destroy();
}
