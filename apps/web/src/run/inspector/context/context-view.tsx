/** The model's context: the last request and the next one, layer by layer, compared to the context size. */
import {
  type ContextLayer,
  contextLayerSchema,
  type ShownContext,
  type ShownPart,
  type ShownRequest,
} from '@crewagent/protocol/api/shown-context';
import type { Story } from '@crewagent/protocol/story/story';
import { History } from 'lucide-react';
import { useState } from 'react';
import { useShownContext } from '../../../api/inspector-queries.ts';
import { formatCompact, formatNumber, formatWhen } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { classNames } from '../../../ui/class-names.ts';
import { CodeBlock } from '../../../ui/code/code-block.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { RadioLabels } from '../../../ui/forms/radio-labels.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { usePast } from '../../past.ts';
import { FirstItems } from '../first-items.tsx';

export default function ContextView({ view }: { readonly view: Readonly<Story> }) {
  const { t } = useTranslation();
  const past = usePast();
  // Refetched after each turn and when the run becomes idle.
  const { data, error } = useShownContext(past ? undefined : view.runId, `${view.turns} ${view.phase}`);
  if (past)
    return (
      <EmptyState icon={<History />} title={t('replay.noContext')}>
        {t('replay.noContextText')}
      </EmptyState>
    );
  if (data) return <ShownContextView context={data} />;
  return <div className="p-3">{error ? <ErrorNote issue={error} /> : <Skeleton className="h-40" />}</div>;
}

/** Compaction is near, which removes content. */
const NEARLY_FULL = 0.8;

function ShownContextView({ context }: { readonly context: ShownContext }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<'last' | 'next'>('last');
  const { last, next, contextTokens, compactions } = context;
  const which = last ? chosen : 'next';
  const request = which === 'last' && last ? last : next;
  const layers = toLayers(request);
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
      {layers.length === 0 ? <p className="text-ink-faint">{t('context.empty')}</p> : undefined}
      {/* Hidden from assistive technology: the list below names what the bar only colours. */}
      <div aria-hidden="true" className="flex h-3 gap-px overflow-hidden rounded-sm">
        {layers
          .filter(({ tokens }) => tokens > 0)
          .map(({ layer, share }) => (
            <div
              key={layer}
              className={`min-w-0.5 ${COLOURS[layer]}`}
              style={{ flexGrow: share, flexBasis: 0 }}
            />
          ))}
      </div>
      {/* The expanded parts of one request are not those of the other. */}
      <ul key={which} aria-label={t('context.layers')} className="-mx-1.5 flex flex-col">
        {layers.map((layer) => (
          <li key={layer.layer}>
            <Layer layer={layer} />
          </li>
        ))}
      </ul>
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

/** Layers that follow one another differ in hue or lightness, in both themes. */
const COLOURS: Readonly<Record<ContextLayer, string>> = {
  rules: 'bg-ink-faint',
  policy: 'bg-line-strong',
  background: 'bg-(--part-tools)',
  persona: 'bg-limit',
  menu: 'bg-interrupted',
  tools: 'bg-warn',
  earlier: 'bg-control',
  anchor: 'bg-ok',
  messages: 'bg-accent',
  input: 'bg-ink',
};

function Layer({
  layer: { layer, tokens, share, parts },
}: {
  readonly layer: ReturnType<typeof toLayers>[number];
}) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const [only] = parts;
  return (
    <Fold
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={
        <>
          <span aria-hidden="true" className={`size-2.5 shrink-0 rounded-sm ${COLOURS[layer]}`} />
          <span className="min-w-0 truncate text-ink">{t(`context.layer.${layer}`)}</span>
          {parts.length > 1 ? (
            <span className="text-xs text-ink-faint">{t('context.parts', { count: parts.length })}</span>
          ) : undefined}
          <span className="ms-auto shrink-0 ps-2 text-xs text-ink-faint tabular-nums">
            {t('context.share', {
              tokens: formatNumber(tokens),
              percent: formatNumber(Math.round(share * 100)),
            })}
          </span>
        </>
      }
    >
      {() => (
        <div className="-ms-4 flex flex-col">
          <p className="mb-1 text-sm text-ink-faint">{t(`context.layerText.${layer}`)}</p>
          {parts.length === 1 && only ? (
            <CodeBlock text={only.text} label={t(`context.layer.${layer}`)} wraps />
          ) : (
            <FirstItems items={parts} first={100} more={1_000} as="ol" keyOf={(_, index) => index}>
              {(part) => <Part part={part} />}
            </FirstItems>
          )}
        </div>
      )}
    </Fold>
  );
}

const PREVIEW_CHARS = 120;

function Part({ part: { role, text, tokens, tool } }: { readonly part: ShownPart }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const own = role === undefined ? t('context.part') : t(`context.role.${role}`);
  const name = tool ? toShownLine(tool.name) : own;
  const preview = tool
    ? t(tool.isBrief ? 'context.toolBrief' : 'context.toolFull', { bytes: formatNumber(tool.bytes) })
    : toShownLine(text.slice(0, PREVIEW_CHARS));
  return (
    <Fold
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={
        <>
          <span className="shrink-0 text-sm">{name}</span>
          <bdi className="min-w-0 truncate text-sm text-ink-faint">{preview}</bdi>
          <span className="ms-auto shrink-0 ps-2 text-xs text-ink-faint tabular-nums">
            {formatNumber(tokens)}
          </span>
        </>
      }
    >
      {() => <CodeBlock text={text} label={name} wraps className="-ms-4" />}
    </Fold>
  );
}

/**
 * A request to a model by layer: the size of each layer and its parts. `share`: of the
 * request, from 0 to 1. Empty layers are omitted. Pure.
 */
export function toLayers({ parts }: ShownRequest) {
  const total = sum(parts);
  return contextLayerSchema.options.flatMap((layer) => {
    const own = parts.filter((part) => part.layer === layer);
    if (own.length === 0) return [];
    const tokens = sum(own);
    return [{ layer, tokens, share: total === 0 ? 0 : tokens / total, parts: own }];
  });
}

function sum(parts: readonly ShownPart[]): number {
  return parts.reduce((tokens, part) => tokens + part.tokens, 0);
}
