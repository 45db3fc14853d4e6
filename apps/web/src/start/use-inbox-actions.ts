/** The ways on from something that waits. What was written in the project stays, unless a person says otherwise. */

import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { useAction } from '../ui/use-action.ts';
import type { Rewinding } from './inbox-rewind.tsx';
import { useWaysOn } from './use-ways-on.ts';
import type { WaitingWork } from './waiting-work.ts';

/** What goes on after the entry is gone. */
export interface BesideTheList {
  readonly onRewind: (rewinding: Rewinding) => void;
  readonly onBringBack: (conversationId: string) => void;
}

export function useInboxActions(work: WaitingWork, { onRewind, onBringBack }: BesideTheList) {
  const { t } = useTranslation();
  const client = useApi();
  const { show } = useToasts.getState();
  const { open, goOn } = useWaysOn(work);
  const resume = useAction(async () => {
    await goOn();
    show(t('inbox.goesOn'), { label: t('inbox.open'), onChoose: open });
  });
  const rewind = useAction(async (kind: Rewinding['kind']) => {
    if (!work.run) return;
    const { view } = await client.runs.show({ runId: work.run.runId });
    onRewind({ work, kind, view });
  });
  const abandon = useAction(async () => {
    if (work.kind === 'run') {
      await client.runs.remove({ runId: work.run.runId });
      show(t('inbox.removed'));
      return;
    }
    const { conversationId } = work.conversation;
    await client.conversations.change({ conversationId, body: { isArchived: true } });
    show(t('inbox.archived'), { label: t('inbox.undo'), onChoose: () => onBringBack(conversationId) });
  });
  return { open, resume, rewind, abandon };
}
