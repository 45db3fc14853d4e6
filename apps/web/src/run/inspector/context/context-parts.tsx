/** Layers of a request: a bar with their shares, and a list that expands to the parts. The list names what the bar only colours. */
import type { ContextLayer, ShownPart } from '@crewagent/protocol/api/shown-context';
import { useState } from 'react';
import { formatNumber } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { CodeBlock } from '../../../ui/code/code-block.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import type { ShownLayer } from './context-layers.ts';

interface LayersProps {
  readonly layers: readonly ShownLayer[];
}

const COLOURS: Readonly<Record<ContextLayer, string>> = {
  rules: 'bg-ink-soft',
  policy: 'bg-control',
  background: 'bg-ok-soft',
  persona: 'bg-warn',
  menu: 'bg-warn-soft',
  tools: 'bg-ink-faint',
  earlier: 'bg-line-strong',
  anchor: 'bg-ok',
  messages: 'bg-accent',
  input: 'bg-accent-text',
};

/** Hidden from assistive technology: the list below contains the same. */
export function LayerBar({ layers }: LayersProps) {
  return (
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
  );
}

export function LayerList({ layers }: LayersProps) {
  const { t } = useTranslation();
  return (
    <ul aria-label={t('context.layers')} className="-mx-1.5 flex flex-col">
      {layers.map((layer) => (
        <li key={layer.layer}>
          <Layer layer={layer} />
        </li>
      ))}
    </ul>
  );
}

function Layer({ layer: { layer, tokens, share, parts } }: { readonly layer: ShownLayer }) {
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
        <div className="-ms-4 flex flex-col gap-1">
          <p className="text-sm text-ink-faint">{t(`context.layerText.${layer}`)}</p>
          {parts.length === 1 && only ? (
            <CodeBlock text={only.text} label={t(`context.layer.${layer}`)} wraps />
          ) : (
            <PartList parts={parts} />
          )}
        </div>
      )}
    </Fold>
  );
}

const INITIAL_COUNT = 100;

function PartList({ parts }: { readonly parts: readonly ShownPart[] }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(INITIAL_COUNT);
  return (
    <>
      <ol className="flex flex-col">
        {parts.slice(0, shown).map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a request is immutable
          <li key={index}>
            <Part part={part} />
          </li>
        ))}
      </ol>
      {parts.length > shown ? (
        <button
          type="button"
          className="w-fit rounded-sm text-sm text-accent-text"
          onClick={() => setShown(shown + 10 * INITIAL_COUNT)}
        >
          {t('text.showAll')}
        </button>
      ) : undefined}
    </>
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
