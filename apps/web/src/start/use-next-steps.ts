/** Opens a waiting Work, or resumes it without a message. */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { useApi } from '../api/api-context.tsx';
import { mustBeAccepted } from '../api/create-work-api.ts';
import { openInFront } from '../navigation/open-in-front.ts';

/** A left run is resumed in its conversation. */
export function useNextSteps({ projectId, workId, parentId }: WorkSummary) {
  const client = useApi();
  const target =
    parentId === undefined ? { workId, body: {} } : { workId: parentId, body: { runId: workId } };
  return {
    open: (): void => openInFront({ name: 'work', projectId, workId: target.workId }),
    continueRun: async (): Promise<void> => mustBeAccepted(await client.works.resume(target)),
  };
}
