/** What a conversation is called before anybody gave it a name: as the workflow it is in, or the agent. */

import { useWork } from '../api/work-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import type { Conversation } from '../state/work-list.ts';
import { toShownLine } from '../ui/foreign-text.ts';

export function useTitleOf(): (conversation: Conversation) => string {
  const { t } = useTranslation();
  const { list } = useWork();
  return ({ title, agent, kind, activeRunId }) => {
    const run = activeRunId === undefined ? undefined : list?.runs.find(({ runId }) => runId === activeRunId);
    return toShownLine(title || run?.workflow.title || agent?.name || '') || t(`works.kinds.${kind}`);
  };
}
