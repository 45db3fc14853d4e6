/** The overview of a run, beside the conversation: its graph as a stage, its time and its cost. */
import '../../i18n/overview-texts.ts';
import { timesOf } from '@crewagent/protocol/story/node-visits';
import { treeUsage } from '@crewagent/protocol/story/tree-figures';
import { History } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { create } from 'zustand';
import { formatCompact, formatCost } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openReplay, useIsReplaying } from '../../navigation/moment.ts';
import { IconButton } from '../../ui/button.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { addCosts, costOf, tokensOf, usageOf, worksSince } from '../progress/node/node-figures.ts';
import type { ProgressPanelProps } from '../progress/progress-panel.tsx';
import RunStage from '../progress/stage/run-stage.tsx';
import { Duration } from '../progress/stage/stage-card.tsx';
import { toProgress } from '../progress/to-progress.ts';
import { CostView } from './chart/cost-view.tsx';
import { TimeChart } from './chart/time-chart.tsx';

const VIEWS = ['graph', 'time', 'cost'] as const;
type OverviewName = (typeof VIEWS)[number];

/** The chosen view stays while the person looks at the conversation. */
const useOverview = create<{ readonly shown: OverviewName }>(() => ({ shown: 'graph' }));

export default function Overview(props: ProgressPanelProps) {
  const { view } = props;
  const { t } = useTranslation();
  const { shown } = useOverview();
  const contents: Readonly<Record<OverviewName, ReactNode>> = {
    graph: <RunStage {...props} />,
    time: <TimeChart {...props} />,
    cost: <CostView {...props} />,
  };
  return (
    <section aria-label={t('overview.views')} className="flex h-full min-h-0 flex-col">
      <h1 className="sr-only">{toShownLine(view.workflow?.title ?? '')}</h1>
      <h2 className="sr-only">{t('overview.views')}</h2>
      <Tabs
        label={t('overview.views')}
        active={shown}
        onChange={(id) => useOverview.setState({ shown: VIEWS.find((name) => name === id) ?? 'graph' })}
        aside={
          <>
            <Totals {...props} />
            <ReplayButton />
          </>
        }
        tabs={VIEWS.map((id) => ({ id, label: t(`overview.${id}`), content: contents[id] }))}
      />
    </section>
  );
}

function ReplayButton() {
  const { t } = useTranslation();
  const isReplaying = useIsReplaying();
  if (isReplaying) return undefined;
  return (
    <IconButton label={t('control.replay')} onClick={openReplay} className="me-1 self-center">
      <History />
    </IconButton>
  );
}

/** Steps, time, tokens and cost of the whole run. */
function Totals({ view, graph, runs }: ProgressPanelProps) {
  const { t } = useTranslation();
  const { total, done } = useMemo(() => {
    const { nodes, notNeeded, done: count } = toProgress(view, graph);
    return { total: nodes.length - notNeeded, done: count };
  }, [view, graph]);
  const { visits } = view;
  const last = visits.at(-1);
  const tokens = tokensOf(treeUsage(view, runs));
  const cost = addCosts(visits.map((visit) => costOf(usageOf(visit, runs), view.model)));
  const { workedMs } = timesOf(visits);
  return (
    <p className="flex min-w-0 shrink-0 gap-3 px-3 text-sm whitespace-nowrap text-ink-faint tabular-nums max-sm:hidden">
      <span>{t('progress.count', { done, total })}</span>
      {last ? (
        <span>
          <Duration figures={{ durationMs: workedMs, growsSince: worksSince(view, last) }} />
        </span>
      ) : undefined}
      {tokens > 0 ? <span>{t('usage.tokens', { tokens: formatCompact(tokens) })}</span> : undefined}
      {cost === 'none' ? undefined : (
        <span>{cost === 'unknown' ? t('usage.priceUnknown') : formatCost(cost)}</span>
      )}
    </p>
  );
}
