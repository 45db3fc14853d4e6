/** Stops the current turn and starts it again with the queued messages. */
import { ApiError } from '@crewagent/protocol/api/client';
import type { WorkApi } from '../api/work-api.ts';

/** No-op for a run that has ended or was resumed elsewhere meanwhile. */
export async function restartTurn(api: WorkApi, workId: string): Promise<void> {
  await api.stop(workId);
  await api.resume(workId).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === 'RUN_NOT_READY')) throw error;
  });
}
