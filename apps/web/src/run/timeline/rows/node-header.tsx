/** Header where a node begins: title, agent and usage. */
import type { Usage } from '@crewagent/protocol/model';
import type { RowOf } from '@crewagent/protocol/story/rows';
import { Waypoints } from 'lucide-react';
import { formatCompact, formatCost, formatNoticeable } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { AgentName } from '../../agent-name.tsx';

export function NodeHeader({ row }: { readonly row: RowOf<'node'> }) {
  const { t } = useTranslation();
  const { visit, packageHash } = row;
  return (
    <header className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5 border-b pt-6 pb-1.5">
      <h3 className="flex min-w-0 items-center gap-2 font-semibold text-ink">
        <Waypoints aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
        <span className="wrap-anywhere">{toShownLine(row.title)}</span>
      </h3>
      {visit?.agentId ? (
        <span className="text-sm text-ink-faint">
          <AgentName packageHash={packageHash} agentId={visit.agentId} />
        </span>
      ) : undefined}
      {visit ? (
        <span className="ms-auto flex gap-2.5 text-xs text-ink-faint tabular-nums *:empty:hidden">
          <span>{formatNoticeable(Date.parse(visit.lastAt) - Date.parse(visit.startedAt))}</span>
          {tokensOf(visit.usage) > 0 ? (
            <span>{t('usage.tokens', { tokens: formatCompact(tokensOf(visit.usage)) })}</span>
          ) : undefined}
          {visit.usage.costUsd ? <span>{formatCost(visit.usage.costUsd)}</span> : undefined}
        </span>
      ) : undefined}
    </header>
  );
}

export function tokensOf({ promptTokens, completionTokens }: Usage): number {
  return promptTokens + completionTokens;
}
