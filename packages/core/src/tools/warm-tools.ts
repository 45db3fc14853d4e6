/**
 * Loads what the first write of a run needs, while the model thinks about its first reply.
 */
export async function warmTools(): Promise<void> {
  await import('./unified-diff.ts');
}
