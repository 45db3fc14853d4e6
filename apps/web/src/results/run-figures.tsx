/** Steps, time, tokens and cost of a completed run, with those of the workflows that it called. */
import { timesOf } from '@crewagent/protocol/story/node-visits';
import type { Story } from '@crewagent/protocol/story/story';
import { treeUsage } from '@crewagent/protocol/story/tree-figures';
import type { ReactNode } from 'react';
import { formatCompact, formatDuration, formatNumber } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { CostText } from '../run/overview/chart/cost-text.tsx';
import { addCosts, costOf, tokensOf } from '../run/progress/node/node-figures.ts';
import { type Runs, toProgress } from '../run/progress/to-progress.ts';

interface RunFiguresProps {
  readonly view: Readonly<Story>;
  readonly runs: Runs;
}

export function RunFigures({ view, runs }: RunFiguresProps) {
  const { t } = useTranslation();
  const { done } = toProgress(view, undefined);
  const { workedMs, waitedMs } = timesOf(view.visits);
  const usage = treeUsage(view, runs);
  const tokens = tokensOf(usage);
  const cost = addCosts([costOf(usage, view.model)]);
  const figures: readonly (readonly [name: string, value: ReactNode] | false)[] = [
    [t('after.steps'), formatNumber(done)],
    [t('after.time'), formatDuration(workedMs)],
    waitedMs >= 1_000 && [t('after.waited'), formatDuration(waitedMs)],
    tokens > 0 && [t('after.tokens'), formatCompact(tokens)],
    cost !== 'none' && [t('after.cost'), <CostText key="cost" cost={cost} />],
  ];
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-sm tabular-nums">
      {figures.map((figure) =>
        figure ? (
          <div key={figure[0]} className="flex gap-1.5">
            <dt className="text-ink-faint">{figure[0]}</dt>
            <dd className="text-ink-soft">{figure[1]}</dd>
          </div>
        ) : undefined,
      )}
    </dl>
  );
}
