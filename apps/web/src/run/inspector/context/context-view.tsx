/** The model's context: the last request and the next one, layer by layer, compared to the context size. */
import type { ShownContext } from '@crewagent/protocol/api/shown-context';
import type { Story } from '@crewagent/protocol/story/story';
import { History } from 'lucide-react';
import { useState } from 'react';
import { useSentRequest, useShownContext } from '../../../api/inspector-queries.ts';
import { formatCompact, formatNumber, formatWhen } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { classNames } from '../../../ui/class-names.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { RadioLabels } from '../../../ui/forms/radio-labels.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { usePast } from '../../past.ts';
import { RequestLayers } from './request-layers.tsx';
import { SentRequest, SentRequests } from './sent-request.tsx';

export default function ContextView({ view }: { readonly view: Readonly<Story> }) {
  const { t } = useTranslation();
  const past = usePast();
  // Refetched after each turn and when the run becomes idle.
  const { data, error } = useShownContext(past ? undefined : view.runId, `${view.turns} ${view.phase}`);
  if (past && view.turns === 0)
    return (
      <EmptyState icon={<History />} title={t('context.notSent')}>
        {t('context.empty')}
      </EmptyState>
    );
  if (past)
    return (
      <div className="flex flex-col gap-4 p-3">
        <SentRequest workId={view.runId} turn={view.turns} />
      </div>
    );
  if (data) return <ShownContextView workId={view.runId} context={data} />;
  return <div className="p-3">{error ? <ErrorNote issue={error} /> : <Skeleton className="h-40" />}</div>;
}

/** Compaction is near, which removes content. */
const NEARLY_FULL = 0.8;

function ShownContextView({ workId, context }: { readonly workId: string; readonly context: ShownContext }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<'last' | 'next'>('last');
  const { last, next, contextTokens, compactions } = context;
  const which = last ? chosen : 'next';
  const turns = last?.turn ?? 0;
  const [turn = turns, setTurn] = useState<number>();
  const sent = useSentRequest(workId, which === 'last' ? turn : 0).data;
  const request = which === 'last' && last ? (sent ?? last) : next;
  const used = request.tokens / contextTokens;
  return (
    <div className="flex flex-col gap-4 p-3">
      <RadioLabels
        label={t('context.which')}
        value={which}
        onChange={setChosen}
        className="flex gap-1 rounded-md bg-hover p-0.5"
        options={(['last', 'next'] as const).map((value) => ({
          value,
          isDisabled: value === 'last' && !last,
          look: classNames(
            'flex flex-1 items-center justify-center rounded-sm px-2 py-1 text-center text-sm',
            value === 'last' && !last && 'text-ink-faint',
            value === which ? 'bg-surface font-medium text-ink' : 'text-ink-soft',
          ),
          content:
            value === 'next'
              ? t('context.next')
              : last
                ? t('context.last', { turn: last.turn })
                : t('context.notSent'),
        }))}
      />
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
      {which === 'last' && last ? (
        <SentRequests workId={workId} last={last} turn={turn} onChoose={setTurn} />
      ) : (
        <RequestLayers request={next} />
      )}
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
    </div>
  );
}
