/**
 * Keeps a process small that works for long. V8 doubles its space for new objects whenever enough of them survived, up to 32 MB,
 * although a turn of a run creates little; from here on the space keeps its size. At 8 MB, which a run reaches in a dozen turns, V8
 * would also start its first full collection, which delays a turn by 14 ms.
 */
let setFlags: ((flags: string) => void) | undefined;

export function limitMemorySoon(): void {
  // While the first request is under way: loading the module takes Node 3 ms.
  setTimeout(() => void limitMemory(), 100).unref();
}

export async function limitMemory(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlags = setFlagsFromString;
  setFlags(LIMITED);
}

const LIMITED = '--semi-space-growth-factor=1';
const DEFAULT = '--semi-space-growth-factor=2';

/** Runs `work` with the flags that V8 started with: it uses compiled code only with the flags it was compiled with. */
export function withDefaultFlags<T>(work: () => T): T {
  setFlags?.(DEFAULT);
  try {
    return work();
  } finally {
    setFlags?.(LIMITED);
  }
}
