/** The title of a Work; without a name, the title of its workflow or agent. */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { useWork } from '../api/work-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';

export function useTitleOf(): (work: WorkSummary) => string {
  const { t } = useTranslation();
  const { list } = useWork();
  return ({ title, agent, kind, activeRunId }) => {
    const run =
      activeRunId === undefined ? undefined : list?.works.find(({ workId }) => workId === activeRunId);
    return toShownLine(title || run?.title || agent?.name || '') || t(`works.kinds.${kind}`);
  };
}
