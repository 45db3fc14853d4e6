/**
 * Changes V8's flags for what a process does. V8 doubles its space for new objects whenever enough of them survived, up to 32 MB,
 * although a turn of a run creates little; `limitMemory` keeps its size. At 8 MB, which a run reaches in a dozen turns, V8
 * would also start its first full collection, which delays a turn by 14 ms.
 */
import type { setFlagsFromString } from 'node:v8';

interface Flag {
  readonly changed: string;
  readonly default: string;
}

const SMALL_SPACE: Flag = {
  changed: '--semi-space-growth-factor=1',
  default: '--semi-space-growth-factor=2',
};

/** V8 optimizes a function after this many bytes of code were executed in it. */
const LATE_OPTIMIZING: Flag = { changed: '--interrupt-budget=1000000', default: '--interrupt-budget=67584' };

let setFlags: typeof setFlagsFromString | undefined;
const changed = new Set<Flag>();

export function limitMemorySoon(): void {
  // While the first request is under way: loading the module takes Node 3 ms.
  setTimeout(() => void limitMemory(), 100).unref();
}

export function limitMemory(): Promise<void> {
  return change(SMALL_SPACE);
}

/**
 * For a process with threads, each of which optimizes the same functions: a third of the time of a turn. Newer versions of V8 have a
 * stage in between, and another flag.
 */
export async function optimizeLater(): Promise<void> {
  if (process.versions.v8.startsWith('11.3.')) await change(LATE_OPTIMIZING);
}

async function change(flag: Flag): Promise<void> {
  setFlags ??= (await import('node:v8')).setFlagsFromString;
  changed.add(flag);
  setFlags(flag.changed);
}

/** Runs `work` with the flags that V8 started with: it uses compiled code only with the flags it was compiled with. */
export function withDefaultFlags<T>(work: () => T): T {
  for (const flag of changed) setFlags?.(flag.default);
  try {
    return work();
  } finally {
    for (const flag of changed) setFlags?.(flag.changed);
  }
}
