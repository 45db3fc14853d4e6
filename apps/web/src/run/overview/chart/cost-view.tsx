/** Tokens and cost of a run by step, and how much of its limit is used. Without a known price the bars show tokens. */

import type { RunLimits } from '@crewagent/protocol/settings';
import { treeUsage } from '@crewagent/protocol/story/tree-figures';
import { Coins } from 'lucide-react';
import { useMemo } from 'react';
import { useLimits } from '../../../api/inspector-queries.ts';
import { formatCompact, formatCost, formatPercent } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { navigate } from '../../../navigation/router.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { AmountTable } from '../../../ui/tables/amount-table.tsx';
import { addCosts, type Cost, costOf, tokensOf } from '../../progress/node/node-figures.ts';
import type { ProgressPanelProps } from '../../progress/progress-panel.tsx';
import { CostText } from './cost-text.tsx';
import { toChart } from './to-chart.ts';

export function CostView({ view, runs }: ProgressPanelProps) {
  const { t } = useTranslation();
  const { model } = view;
  const rows = useMemo(
    () =>
      toChart(view, { runs, hasWaiting: true })
        .rows.map(({ key, title, depth, usage }) => ({
          ...{ key, depth, title: toShownLine(title), tokens: tokensOf(usage) },
          cost: costOf(usage, model) ?? 'none',
        }))
        .filter(({ tokens }) => tokens > 0),
    [view, runs, model],
  );
  if (rows.length === 0)
    return (
      <EmptyState icon={<Coins />} title={t('overview.noCost')}>
        {t('overview.noCostText')}
      </EmptyState>
    );
  const outer = rows.filter(({ depth }) => depth === 0);
  const cost = addCosts(outer.map((row) => row.cost));
  const tokens = outer.reduce((sum, row) => sum + row.tokens, 0);
  const isPriced = typeof cost === 'number' && cost > 0;
  return (
    <div className="flex max-w-4xl flex-col gap-5 p-4">
      <Budget {...{ view, runs, cost, tokens }} />
      <AmountTable
        title={t('overview.costs')}
        isTitleHidden
        heads={{
          ...{ name: t('overview.column.step'), share: t('overview.column.share') },
          ...{ tokens: t('overview.column.tokens'), cost: t('overview.column.cost') },
        }}
        whole={isPriced ? cost : tokens}
        rows={rows.map((row) => ({
          ...{ key: row.key, name: row.title, depth: row.depth, tokens: row.tokens },
          size: isPriced && typeof row.cost === 'number' ? row.cost : row.tokens,
          cost: <CostText cost={row.cost} />,
        }))}
      />
      {cost === 'unknown' ? <p className="text-sm text-ink-faint">{t('overview.byTokens')}</p> : undefined}
    </div>
  );
}

interface BudgetProps extends Pick<ProgressPanelProps, 'view' | 'runs'> {
  readonly cost: Cost;
  readonly tokens: number;
}

/** The sums of the run, with a line for each limit. */
function Budget({ view, runs, cost, tokens }: BudgetProps) {
  const { t } = useTranslation();
  const { data: limits } = useLimits(view.runId);
  const lines = limits ? toBudgetLines(view, runs, limits, cost) : [];
  return (
    <div className="flex flex-col gap-3 rounded-lg border bg-surface px-4 py-3">
      <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <span className="text-ink-soft">{t('overview.run')}</span>
        <span className="text-lg font-semibold tabular-nums">
          {cost === 'none' ? t('usage.tokens', { tokens: formatCompact(tokens) }) : <CostText cost={cost} />}
        </span>
        {cost === 'none' ? undefined : (
          <span className="text-ink-faint tabular-nums">
            {t('usage.tokens', { tokens: formatCompact(tokens) })}
          </span>
        )}
        <span className="grow" />
        {cost === 'unknown' ? (
          <Button size="sm" onClick={() => navigate({ name: 'settings', section: 'model' })}>
            {t('overview.setPrice')}
          </Button>
        ) : undefined}
        {limits && lines.length === 0 ? (
          <Button size="sm" kind="quiet" onClick={() => navigate({ name: 'settings', section: 'costs' })}>
            {t('overview.setLimit')}
          </Button>
        ) : undefined}
      </p>
      {lines.map(({ name, share, limit }) => (
        <div key={name}>
          <p className="mb-1 flex gap-3 text-sm text-ink-soft tabular-nums">
            <span className="grow">
              {share >= 1 ? t('overview.overLimit') : t('overview.used', { share: formatPercent(share) })}
            </span>
            <span>{t(`overview.${name}`, { limit })}</span>
          </p>
          {/* The limit is the line at the end. */}
          <div className="border-e-2 border-ink py-0.5">
            <ProgressBar
              label={t(`overview.${name}`, { limit })}
              value={share}
              tone={share > WARN_FROM ? 'warn' : 'accent'}
            />
          </div>
        </div>
      ))}
    </div>
  );
}

const WARN_FROM = 0.8;

interface BudgetLine {
  readonly name: 'limitCost' | 'limitTokens';
  readonly share: number;
  readonly limit: string;
}

/** A limit counts from when the run was last resumed. */
export function toBudgetLines(
  view: BudgetProps['view'],
  runs: BudgetProps['runs'],
  { maxCostUsd, maxTokens }: RunLimits,
  cost: Cost,
): readonly BudgetLine[] {
  const [all, before] = [treeUsage(view, runs), treeUsage(view, runs, 'usageBefore')];
  const spent = (all.costUsd ?? 0) - (before.costUsd ?? 0);
  return [
    // Without a price the limit has no effect.
    ...(maxCostUsd === undefined || cost === 'unknown'
      ? []
      : [{ name: 'limitCost', share: spent / maxCostUsd, limit: formatCost(maxCostUsd) } as const]),
    ...(maxTokens === undefined
      ? []
      : [
          {
            name: 'limitTokens',
            share: (tokensOf(all) - tokensOf(before)) / maxTokens,
            limit: formatCompact(maxTokens),
          } as const,
        ]),
  ];
}
