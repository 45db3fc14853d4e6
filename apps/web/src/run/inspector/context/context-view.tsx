/** The model's context: the last request and the next one, layer by layer, compared to the context size. */
import type { ShownContext } from '@crewagent/protocol/api/shown-context';
import type { RunView } from '@crewagent/protocol/run-view';
import { useState } from 'react';
import { useShownContext } from '../../../api/inspector-queries.ts';
import { formatCompact, formatNumber, formatWhen } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { toLayers } from './context-layers.ts';
import { LayerBar, LayerList } from './context-parts.tsx';
import { ContextSwitch, type Which } from './context-switch.tsx';

interface ContextViewProps {
  readonly view: Readonly<RunView>;
}

export default function ContextView({ view }: ContextViewProps) {
  // Refetched after each turn and when the run becomes idle.
  const { data, error } = useShownContext(view.runId, `${view.turns} ${view.phase}`);
  if (data) return <ShownContextView context={data} />;
  return <div className="p-3">{error ? <ErrorNote issue={error} /> : <Skeleton className="h-40" />}</div>;
}

/** Compaction is near, which removes content. */
const NEARLY_FULL = 0.8;

function ShownContextView({ context }: { readonly context: ShownContext }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<Which>('last');
  const { last, next, contextTokens, compactions } = context;
  const which = last ? chosen : 'next';
  const request = which === 'last' && last ? last : next;
  const layers = toLayers(request);
  const used = request.tokens / contextTokens;
  return (
    <div className="flex flex-col gap-4 p-3">
      <ContextSwitch which={which} turn={last?.turn} onChange={setChosen} />
      <section aria-label={t('context.use')}>
        <p className="mb-1.5 text-sm text-ink-soft tabular-nums">
          {t('context.used', {
            used: formatNumber(request.tokens),
            size: formatCompact(contextTokens),
            percent: formatNumber(Math.round(used * 100)),
          })}
        </p>
        <ProgressBar label={t('context.use')} value={used} tone={used > NEARLY_FULL ? 'warn' : 'accent'} />
        <p className="mt-1.5 text-xs text-ink-faint">{t('context.estimated')}</p>
      </section>
      {layers.length === 0 ? <p className="text-ink-faint">{t('context.empty')}</p> : undefined}
      <LayerBar layers={layers} />
      {/* The expanded parts of one request are not those of the other. */}
      <LayerList key={which} layers={layers} />
      <Compactions compactions={compactions} />
    </div>
  );
}

/** When the context was compacted, and by how much. */
function Compactions({ compactions }: Pick<ShownContext, 'compactions'>) {
  const { t } = useTranslation();
  return (
    <section aria-label={t('context.compactions')} className="border-t pt-3">
      <h3 className="mb-1 text-xs font-medium text-ink-faint">{t('context.compactions')}</h3>
      {compactions.length === 0 ? (
        <p className="text-sm text-ink-faint">{t('context.noCompactions')}</p>
      ) : (
        <ol className="flex flex-col gap-1">
          {compactions.toReversed().map(({ at, outcome, tokensBefore, tokensAfter }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same time
            <li key={`${at} ${index}`} className="flex flex-wrap gap-x-2 text-sm tabular-nums">
              <span>{t(`context.outcome.${outcome}`)}</span>
              <span className="text-ink-faint">
                {t('context.shrunk', {
                  before: formatCompact(tokensBefore),
                  after: formatCompact(tokensAfter),
                })}
              </span>
              <time dateTime={at} className="ms-auto text-xs text-ink-faint">
                {formatWhen(at)}
              </time>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
