/** Usage of a node in numbers, or that the run has not reached it. */

import { formatCompact, formatCost, formatNoticeable, formatNumber } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { NodeProgress } from '../to-progress.ts';
import type { NodeDetails } from './to-node-details.ts';

interface NodeFactsProps {
  readonly details: NodeDetails;
  readonly progress: NodeProgress;
}

export function NodeFacts({ details, progress }: NodeFactsProps) {
  const { t } = useTranslation();
  const { visits, durationMs, usage } = details;
  if (visits.length === 0)
    return (
      <p className="text-ink-soft">
        {t(progress === 'notNeeded' ? 'inspector.node.notNeeded' : 'inspector.node.notYet')}
      </p>
    );
  const turns = visits.reduce((sum, visit) => sum + visit.turns, 0);
  const time = formatNoticeable(durationMs);
  const tokens = usage.promptTokens + usage.completionTokens;
  const facts: readonly (readonly [string, string])[] = [
    ...(time === undefined ? [] : [[t('inspector.node.time'), time] as const]),
    [t('inspector.node.turns'), formatNumber(turns)],
    ...(tokens > 0 ? [[t('inspector.node.tokens'), formatCompact(tokens)] as const] : []),
    ...(usage.costUsd === undefined ? [] : [[t('inspector.node.cost'), formatCost(usage.costUsd)] as const]),
    ...(visits.length > 1 ? [[t('inspector.node.visits'), formatNumber(visits.length)] as const] : []),
  ];
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2 rounded-lg border bg-surface px-3 py-2">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-xs text-ink-faint">{name}</dt>
          <dd className="font-medium tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
