/** Rows between items: the header of a node, and what stands for items that are not loaded. */
import type { Usage } from '@crewagent/protocol/model';
import { workOf } from '@crewagent/protocol/story/node-visits';
import type { RowOf } from '@crewagent/protocol/story/rows';
import { ChevronsUp, Waypoints } from 'lucide-react';
import { createContext, useContext, useEffect, useRef } from 'react';
import { formatCompact, formatCost, formatNoticeable } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { AgentName } from '../../agent-name.tsx';
import { ForkButton } from '../../fork/fork-button.tsx';

/** Whether the user has scrolled up: the first frames of a timeline are not at its end yet. */
export const ScrolledUpContext = createContext(false);

interface EarlierRowProps {
  readonly count: number;
  readonly onLoad: () => void;
}

/** The items are loaded when it comes into view, or with its button. */
export function EarlierRow({ count, onLoad }: EarlierRowProps) {
  const { t } = useTranslation();
  const isScrolledUp = useContext(ScrolledUpContext);
  const row = useRef<HTMLDivElement>(null);
  const load = useRef(onLoad);
  load.current = onLoad;
  // Observed anew for each page: a row that stays in view is not reported again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the count changes with each page
  useEffect(() => {
    if (!isScrolledUp || !row.current) return undefined;
    // A busy page gets several reports at once.
    const observer = new IntersectionObserver((reports) => {
      if (reports.at(-1)?.isIntersecting) load.current();
    });
    observer.observe(row.current);
    return () => observer.disconnect();
  }, [isScrolledUp, count]);
  return (
    <div ref={row} className="flex justify-center py-2">
      <Button
        size="sm"
        kind="quiet"
        icon={<ChevronsUp aria-hidden="true" className="size-3.5" />}
        onClick={onLoad}
      >
        {t('timeline.earlier', { count })}
      </Button>
    </div>
  );
}

/** Where a node begins: title, agent and usage. */
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
          <span>{formatNoticeable(workOf(visit))}</span>
          {tokensOf(visit.usage) > 0 ? (
            <span>{t('usage.tokens', { tokens: formatCompact(tokensOf(visit.usage)) })}</span>
          ) : undefined}
          {visit.usage.costUsd ? <span>{formatCost(visit.usage.costUsd)}</span> : undefined}
        </span>
      ) : undefined}
      <ForkButton workId={row.source} seq={visit?.firstSeq} />
    </header>
  );
}

function tokensOf({ promptTokens, completionTokens }: Usage): number {
  return promptTokens + completionTokens;
}
