/** Finds which Work executes the commands for an id: the root of called runs, and the conversation that may drive it. */
import { CrewError, findRoot, type Runtime, type WorkAddress } from '@crewagent/core';
import { isRun } from '@crewagent/protocol/work';

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
    const address = found.isRun ? await findRoot(store, { ...found, isRun: true }) : found;
    return { address, parent: isRunning(address.workId) ? undefined : await findParent(runtime, address) };
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

/** The conversation a run belongs to. A run whose record cannot be read is opened on its own and reports the error. */
async function findParent({ store }: Runtime, address: WorkAddress): Promise<WorkAddress | undefined> {
  if (!address.isRun) return undefined;
  try {
    const record = await store.works.read(address);
    const workId = isRun(record) ? record.parentId : undefined;
    return workId === undefined ? undefined : { projectId: address.projectId, workId, isRun: false };
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}

/** A run outlives a deleted or damaged conversation. */
export async function readActiveRun({ store }: Runtime, parent: WorkAddress): Promise<string | undefined> {
  try {
    const record = await store.works.read(parent);
    return isRun(record) ? undefined : record.activeRunId;
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}
