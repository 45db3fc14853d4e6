/** Usage of a run so far, in few numbers. */
import type { Story } from '@crewagent/protocol/story/story';
import { formatCompact, formatCost } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';

export function ProgressTotals({ view: { turns, usage } }: { readonly view: Readonly<Story> }) {
  const { t } = useTranslation();
  if (turns === 0) return undefined;
  const tokens = usage.promptTokens + usage.completionTokens;
  return (
    <span className="flex gap-2.5 text-xs text-ink-faint">
      <span>{t('inspector.node.turnCount', { count: turns })}</span>
      {tokens > 0 ? <span>{t('usage.tokens', { tokens: formatCompact(tokens) })}</span> : undefined}
      {usage.costUsd ? <span>{formatCost(usage.costUsd)}</span> : undefined}
    </span>
  );
}
