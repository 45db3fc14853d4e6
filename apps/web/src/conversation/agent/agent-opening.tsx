/** What the agent offers, for as long as nothing was said to it. Nothing is sent for it. */
import type { MenuEntry } from '@crewagent/protocol/commands';
import { useTranslation } from '../../i18n/use-translation.ts';
import { MenuGrid } from '../../run/timeline/rows/choice-rows.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

interface AgentOpeningProps {
  /** Undefined while they are not known. */
  readonly entries: readonly MenuEntry[] | undefined;
  readonly onInput: (text: string) => void;
}

export function AgentOpening({ entries, onInput }: AgentOpeningProps) {
  const { t } = useTranslation();
  if (!entries) return <Skeleton className="my-3 h-24" />;
  return (
    <>
      <p className="mt-1 text-ink-soft">{t(entries.length > 0 ? 'menu.hint' : 'menu.none')}</p>
      {entries.length > 0 ? <MenuGrid entries={entries} isOver={false} onInput={onInput} /> : undefined}
    </>
  );
}
