/** The run of an id, for what only runs can do. */
import { CrewError, findWork, type RunAddress, type StoreLayout } from '@crewagent/core';

/** Throws for a conversation: it has no workflow of its own. */
export async function findRun(store: StoreLayout, workId: string): Promise<RunAddress> {
  const { isRun: isRunWork, ...address } = await findWork(store, workId);
  if (isRunWork) return { ...address, isRun: true };
  throw new CrewError('USAGE', 'This is a conversation; its runs can do that.');
}
