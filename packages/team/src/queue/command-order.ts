/**
 * In which order commands to the Works of a tree begin: those to one Work as they were sent. What a worker that died had begun is resumed
 * first, and once for all commands that wait for it.
 */
import type { OpenWork } from '@crewagent/core';

export type Order = ReturnType<typeof createOrder>;

export function createOrder() {
  const last = new Map<string, Promise<void>>();
  const resumed = new Map<OpenWork, Promise<unknown>>();
  return {
    add(workId: string) {
      const mayBegin = last.get(workId) ?? Promise.resolve();
      let begun = (): void => undefined;
      last.set(
        workId,
        new Promise<void>((resolve) => {
          begun = resolve;
        }),
      );
      return { mayBegin, begun };
    },
    resume(work: OpenWork): Promise<unknown> {
      const known = resumed.get(work);
      if (known) return known;
      const resuming = work.resume().finally(() => resumed.delete(work));
      resumed.set(work, resuming);
      return resuming;
    },
  };
}
