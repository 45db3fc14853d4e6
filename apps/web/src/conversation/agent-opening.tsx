/** What the agent offers, for as long as nothing was said to it. Nothing is sent for it. */
import type { MenuEntry } from '@crewagent/protocol/commands';
import { useEffect, useState } from 'react';
import type { PartnerApi } from '../api/conversation-api.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { MenuGrid } from '../run/timeline/choice-rows.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

interface AgentOpeningProps {
  readonly partner: PartnerApi;
  readonly conversationId: string;
  readonly onInput: (text: string) => void;
}

export function AgentOpening({ partner, conversationId, onInput }: AgentOpeningProps) {
  const { t } = useTranslation();
  const entries = useMenu(partner, conversationId);
  if (!entries) return <Skeleton className="my-3 h-24" />;
  return (
    <>
      <p className="mt-1 text-ink-soft">{t(entries.length > 0 ? 'menu.hint' : 'menu.none')}</p>
      {entries.length > 0 ? <MenuGrid entries={entries} isOver={false} onInput={onInput} /> : undefined}
    </>
  );
}

/** Without it one can still talk. */
function useMenu(partner: PartnerApi, conversationId: string): readonly MenuEntry[] | undefined {
  const [entries, setEntries] = useState<readonly MenuEntry[]>();
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    partner
      .menu(conversationId, signal)
      .then((found) => !signal.aborted && setEntries(found))
      .catch(() => !signal.aborted && setEntries([]));
    return () => controller.abort();
  }, [partner, conversationId]);
  return entries;
}
