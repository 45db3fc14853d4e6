/** The run of an id, for what only runs can do. */
import { CrewError, type RunAddress, type Store } from '@crewagent/core';

/** Throws for a conversation: it has no workflow of its own. */
export async function findRun(store: Store, workId: string): Promise<RunAddress> {
  const { isRun: isRunWork, ...address } = await store.works.find(workId);
  if (isRunWork) return { ...address, isRun: true };
  throw new CrewError('USAGE', 'This is a conversation; its runs can do that.');
}
