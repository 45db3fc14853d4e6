/** A diagram that a text describes (Mermaid), as an image; its source on demand, or where it cannot be drawn. Loaded lazily. */
import { Code, Maximize2, Minimize2, Waypoints } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { IconButton } from '../../button.tsx';
import { CodeBlock } from '../../code/code-block.tsx';
import { Skeleton } from '../../skeleton.tsx';
import { drawDiagram } from './draw-diagram.ts';
import type { DrawingAnswer } from './drawing-messages.ts';
import { useDrawingColors } from './use-drawing-colors.ts';

export default function Diagram({ source }: { readonly source: string }) {
  const { t } = useTranslation();
  const drawing = useDrawing(source);
  const [hasSource, setSource] = useState(false);
  const [isWhole, setWhole] = useState(true);
  if (drawing && !drawing.ok) return <Failed source={source} />;
  return (
    <figure className="diagram group/diagram relative overflow-clip rounded-md border bg-surface">
      {drawing ? (
        // biome-ignore lint/a11y/useSemanticElements: not a form; a section would be a landmark, and there are many of these
        <div
          role="group"
          aria-label={t('text.diagram')}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
          tabIndex={0}
          className="overflow-auto p-3 -outline-offset-2"
        >
          <img
            src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing.svg)}`}
            alt={titleOf(source) ?? t('text.diagram')}
            width={Math.round(drawing.width)}
            height={Math.round(drawing.height)}
            className={isWhole ? 'mx-auto h-auto max-h-[70vh] w-auto max-w-full' : 'max-w-none'}
          />
        </div>
      ) : (
        <Skeleton className="m-3 h-40" />
      )}
      <figcaption className="absolute end-1 top-1 flex rounded-md bg-surface/90 opacity-0 group-focus-within/diagram:opacity-100 group-hover/diagram:opacity-100 pointer-coarse:opacity-100">
        <IconButton
          size="sm"
          label={t(isWhole ? 'text.ownSize' : 'text.fitted')}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? <Maximize2 /> : <Minimize2 />}
        </IconButton>
        <IconButton
          size="sm"
          label={t('text.source')}
          isPressed={hasSource}
          onClick={() => setSource(!hasSource)}
        >
          <Code />
        </IconButton>
      </figcaption>
      {hasSource ? <SourceText source={source} /> : undefined}
    </figure>
  );
}

function SourceText({ source }: { readonly source: string }) {
  const { t } = useTranslation();
  return (
    <CodeBlock
      className="rounded-none border-0 border-t"
      text={source}
      label={t('text.code')}
      title="mermaid"
    />
  );
}

function Failed({ source }: { readonly source: string }) {
  const { t } = useTranslation();
  return (
    <figure className="overflow-clip rounded-md border">
      <figcaption className="flex items-start gap-2 bg-sunken px-3 py-1.5 text-sm text-ink-soft">
        <Waypoints className="mt-0.5 size-3.5 shrink-0" />
        {t('text.diagramFailed')}
      </figcaption>
      <SourceText source={source} />
    </figure>
  );
}

/** Undefined while it is being drawn. A new source keeps the last drawing until it is drawn itself. */
function useDrawing(source: string): DrawingAnswer | undefined {
  const colors = useDrawingColors();
  const [drawing, setDrawing] = useState<DrawingAnswer>();
  useEffect(() => {
    let isCurrent = true;
    void drawDiagram(source, colors).then((answer) => {
      if (isCurrent) setDrawing(answer);
    });
    return () => {
      isCurrent = false;
    };
  }, [source, colors]);
  return drawing;
}

/** What the author calls it. */
function titleOf(source: string): string | undefined {
  const [, title] = /^\s*(?:accTitle|title)\s*:?\s+(\S.*)$/m.exec(source) ?? [];
  return title?.trim();
}
