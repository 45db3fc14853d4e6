/**
 * Keeps a process small that works for long. V8 doubles its space for new objects whenever enough of them survived, up to 32 MB,
 * although a turn of a run creates little; from here on the space keeps its size.
 */
export function limitMemorySoon(): void {
  // While the first request is under way: loading the module takes Node 3 ms.
  setTimeout(() => void limitMemory(), 300).unref();
}

async function limitMemory(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
}
