/** Finds a run by id, for operations that only runs support. */
import { CrewError, type RunAddress, type Store } from '@crewagent/core';

/** Throws for a conversation, which has no workflow of its own. */
export async function findRun(store: Store, workId: string): Promise<RunAddress> {
  const { isRun: isRunWork, ...address } = await store.works.find(workId);
  if (isRunWork) return { ...address, isRun: true };
  throw new CrewError('USAGE', 'This is a conversation. Use the id of one of its runs.');
}
