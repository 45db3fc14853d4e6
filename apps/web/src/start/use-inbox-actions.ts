/** Actions for a waiting Work. Files it wrote stay, unless the user decides otherwise. */

import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { useAction } from '../ui/use-action.ts';
import type { Rewinding } from './inbox-rewind.tsx';
import { useNextSteps } from './use-next-steps.ts';
import type { WaitingWork } from './waiting-work.ts';

/** Operations that continue after the entry is gone. */
export interface BesideTheList {
  readonly onRewind: (rewinding: Rewinding) => void;
  readonly onBringBack: (workId: string) => void;
}

export function useInboxActions({ work, run }: WaitingWork, { onRewind, onBringBack }: BesideTheList) {
  const { t } = useTranslation();
  const client = useApi();
  const { show } = useToasts.getState();
  const { open, continueRun } = useNextSteps(work);
  const resume = useAction(async () => {
    await continueRun();
    show(t('inbox.goesOn'), { label: t('action.open'), onChoose: open });
  });
  const rewind = useAction(async (kind: Rewinding['kind']) => {
    if (!run) return;
    const { view } = await client.works.show({ workId: run.workId });
    onRewind({ work, kind, view });
  });
  const abandon = useAction(async () => {
    const { workId } = work;
    if (work.run) {
      await client.works.remove({ workId });
      show(t('inbox.removed'));
      return;
    }
    await client.works.change({ workId, body: { isArchived: true } });
    show(t('inbox.archived'), { label: t('action.undo'), onChoose: () => onBringBack(workId) });
  });
  return { open, resume, rewind, abandon };
}
