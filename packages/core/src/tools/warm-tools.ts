/**
 * Preloads modules for the first write of a run while the model generates its first reply.
 */
export async function warmTools(): Promise<void> {
  await import('./unified-diff.ts');
}
