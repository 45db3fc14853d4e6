/** To something that waits, and on from there without a word. */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { useApi } from '../api/api-context.tsx';
import { mustBeTaken } from '../api/create-work-api.ts';
import { navigate } from '../navigation/router.ts';

export function useWaysOn({ projectId, workId }: WorkSummary) {
  const client = useApi();
  return {
    open: (): void => navigate({ name: 'work', projectId, workId }),
    goOn: async (): Promise<void> => mustBeTaken(await client.works.resume({ workId, body: {} })),
  };
}
