/** Finds which Work executes the commands for an id: the root of called runs, and the conversation that may drive it. */
import { CrewError, conversationBeside, findRoot, type Runtime, type WorkAddress } from '@crewagent/core';
import type { WorkRecord } from '@crewagent/protocol/work';

export interface WorkLookups {
  find(workId: string): Promise<FoundWork>;
  /** Resolves when the lookups of this Work that are pending now have ended. */
  settled(workId: string): Promise<void>;
}

export interface FoundWork {
  readonly address: WorkAddress;
  /** The conversation that may drive a run; undefined for a standalone run. */
  readonly parent: WorkAddress | undefined;
}

export function createWorkLookups(runtime: Runtime, isRunning: (workId: string) => boolean): WorkLookups {
  const { store } = runtime;
  /** The last pending lookup of each Work. */
  const lookups = new Map<string, Promise<void>>();

  const findNow = async (workId: string): Promise<FoundWork> => {
    const found = await store.works.find(workId);
    // A called run is driven through the run at the root of its calls.
    const address = await findRoot(store, found);
    const parentId = isRunning(address.workId) ? undefined : (await readRecord(runtime, address))?.parentId;
    return { address, parent: parentId === undefined ? undefined : conversationBeside(address, parentId) };
  };
  return {
    /** A lookup reads the disk. Lookups of one Work run one after the other, so that its commands stay in order. */
    find(workId) {
      const found = (lookups.get(workId) ?? Promise.resolve()).then(() => findNow(workId));
      const settled = found.then(
        () => undefined,
        () => undefined,
      );
      lookups.set(workId, settled);
      void settled.then(() => {
        if (lookups.get(workId) === settled) lookups.delete(workId);
      });
      return found;
    },
    settled: async (workId) => lookups.get(workId),
  };
}

/**
 * Undefined if it cannot be read: such a run is opened on its own and reports the error, and a run outlives a deleted or damaged
 * conversation.
 */
export async function readRecord({ store }: Runtime, address: WorkAddress): Promise<WorkRecord | undefined> {
  try {
    return await store.works.read(address);
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}
