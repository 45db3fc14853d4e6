/** Preloads modules for the first write of a run while the model generates its first reply. */
export function warmToolsSoon(): void {
  setTimeout(() => void import('./files/unified-diff.ts'), SENT_MS).unref();
}

/** The first request is sent by then. */
const SENT_MS = 10;
