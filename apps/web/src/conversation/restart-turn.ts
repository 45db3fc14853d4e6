/** Stops the turn that is under way and starts it again with what was said since. */
import { ApiError } from '@crewagent/protocol/api/client';
import type { WorkApi } from '../api/work-api.ts';

/** A run that ended meanwhile, or was resumed by somebody else, needs no more. */
export async function restartTurn(api: WorkApi, workId: string): Promise<void> {
  await api.stop(workId);
  await api.resume(workId).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === 'RUN_NOT_READY')) throw error;
  });
}
