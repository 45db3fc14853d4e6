/** The Works of a tree that are open in this worker. Each is opened with its first command. */
import type { OpenWork, Runtime } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { openWork } from '@crewagent/server/team';

export type OpenTree = ReturnType<typeof createOpenTree>;

export function createOpenTree(runtime: Runtime, onEvent: (event: RunEvent) => void) {
  const works = new Map<string, Promise<OpenWork>>();

  const open = async (workId: string, model: string | undefined): Promise<OpenWork> => {
    const work = await openWork(runtime, { workId, model });
    work.subscribe(onEvent);
    return work;
  };
  const close = async (workId: string): Promise<void> => {
    const work = await works.get(workId)?.catch(() => undefined);
    works.delete(workId);
    await work?.close();
  };
  return {
    /** Another model drives a run from the next time it is opened. */
    async open(workId: string, model: string | undefined): Promise<OpenWork> {
      const known = await works.get(workId);
      if (known && model !== undefined && known.record.workflowRef !== undefined && !known.isRunning)
        await close(workId);
      const opened = works.get(workId) ?? open(workId, model);
      works.set(workId, opened);
      opened.catch(() => works.delete(workId));
      return opened;
    },
    all: (): Promise<OpenWork[]> => Promise.all(works.values()),
    async close(): Promise<void> {
      await Promise.all([...works.keys()].map(close));
    },
  };
}
