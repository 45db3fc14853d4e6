/** A run or a conversation in a list of the team; opens it. */
import type { ActiveWork } from '@crewagent/protocol/api/team';
import { formatWhen } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { PhasePill } from '../ui/phase-pill.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';

interface WorkButtonProps {
  readonly work: ActiveWork;
  /** Shown below the title. */
  readonly facts: readonly (string | undefined)[];
}

export function WorkButton({ work, facts }: WorkButtonProps) {
  const { t } = useTranslation();
  const { workId, projectId, title, phase, updatedAt } = work;
  return (
    <button
      type="button"
      onClick={() => navigate({ name: 'work', projectId, workId })}
      className="flex w-full min-w-0 items-center gap-3 rounded-md px-2 py-1.5 text-start -outline-offset-2 hover:bg-hover"
    >
      <span className="min-w-0 grow">
        <span className="block truncate font-medium">{toShownLine(title) || t('team.works.untitled')}</span>
        <span className="block truncate text-sm text-ink-faint">{facts.filter(Boolean).join(' · ')}</span>
      </span>
      <PhasePill phase={phase} />
      <span className="hidden shrink-0 text-xs text-ink-faint tabular-nums sm:inline">
        {formatWhen(updatedAt)}
      </span>
    </button>
  );
}
