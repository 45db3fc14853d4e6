/** A request to a model by layer, with the share of each, expandable to its text. */
import {
  type ContextLayer,
  contextLayerSchema,
  type ShownPart,
  type ShownRequest,
} from '@crewagent/protocol/api/shown-context';
import { useState } from 'react';
import '../../../i18n/context-texts.ts';
import { formatNumber } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { CodeBlock } from '../../../ui/code/code-block.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { FirstItems } from '../first-items.tsx';

export function RequestLayers({ request }: { readonly request: ShownRequest }) {
  const { t } = useTranslation();
  const layers = toLayers(request);
  return (
    <>
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
      <ul aria-label={t('context.layers')} className="-mx-1.5 flex flex-col">
        {layers.map((layer) => (
          <li key={layer.layer}>
            <Layer layer={layer} />
          </li>
        ))}
      </ul>
    </>
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
