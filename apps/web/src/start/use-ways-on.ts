/** To something that waits, and on from there without a word. */
import { useApi } from '../api/api-context.tsx';
import { mustBeTaken } from '../api/create-conversation-api.ts';
import { navigate } from '../navigation/router.ts';
import type { WaitingWork } from './waiting-work.ts';

export function useWaysOn(work: WaitingWork) {
  const client = useApi();
  const open = (): void => {
    if (work.kind === 'run') navigate({ name: 'run', projectId: work.run.projectId, runId: work.run.runId });
    else {
      const { projectId, conversationId } = work.conversation;
      navigate({ name: 'conversation', projectId, conversationId });
    }
  };
  const goOn = async (): Promise<void> => {
    if (work.kind === 'run') await client.runs.resume({ runId: work.run.runId, body: {} });
    else {
      const { conversationId } = work.conversation;
      mustBeTaken(await client.conversations.resume({ conversationId, body: {} }));
    }
  };
  return { open, goOn };
}
