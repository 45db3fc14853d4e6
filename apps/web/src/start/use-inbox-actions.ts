/** The ways on from something that waits. What was written in the project stays, whichever way is taken. */

import { useApi } from '../api/api-context.tsx';
import { mustBeTaken } from '../api/create-conversation-api.ts';
import { navigate } from '../app/router.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useToasts } from '../state/toasts.ts';
import { useAction } from '../ui/use-action.ts';
import type { WaitingWork } from './waiting-work.ts';

export interface Rewinding {
  readonly nodeId: string;
  readonly undoesFiles: boolean;
  /** The step is done again at once. */
  readonly resumes: boolean;
}

export function useInboxActions(work: WaitingWork, onDone: () => void) {
  const { t } = useTranslation();
  const client = useApi();
  const { show } = useToasts.getState();
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
    show(t('inbox.goesOn'), { label: t('inbox.open'), onChoose: open });
  };
  const resume = useAction(goOn);
  const rewind = useAction(async ({ nodeId, undoesFiles, resumes }: Rewinding) => {
    if (!work.run) return;
    await client.runs.rewind({ runId: work.run.runId, body: { nodeId, undoesFiles } });
    if (resumes) await goOn();
    onDone();
    if (!resumes) open();
  });
  const abandon = useAction(async () => {
    onDone();
    if (work.kind === 'run') {
      await client.runs.remove({ runId: work.run.runId });
      show(t('inbox.removed'));
      return;
    }
    const { conversationId } = work.conversation;
    const setArchived = (isArchived: boolean) =>
      client.conversations.change({ conversationId, body: { isArchived } });
    await setArchived(true);
    show(t('inbox.archived'), { label: t('inbox.undo'), onChoose: () => void setArchived(false) });
  });
  return { open, resume, rewind, abandon };
}
