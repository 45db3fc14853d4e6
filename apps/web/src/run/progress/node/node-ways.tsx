/** Transitions of a node with their reasons; rejected ones with the model's error message. */
import { ArrowRight, Ban, Undo2 } from 'lucide-react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { toShownLine, toShownText } from '../../../ui/sanitize-text.ts';
import { NodePart } from './node-part.tsx';
import type { NodeWay } from './to-node-details.ts';

interface NodeWaysProps {
  readonly ways: readonly NodeWay[];
  readonly titleOf: (nodeId: string) => string;
  readonly onOpenNode: (nodeId: string) => void;
}

export function NodeWays({ ways, titleOf, onOpenNode }: NodeWaysProps) {
  const { t } = useTranslation();
  if (ways.length === 0) return undefined;
  return (
    <NodePart title={t('inspector.node.ways')}>
      <ul className="flex flex-col gap-1.5">
        {ways.map((way) => (
          <li key={way.seq} className="rounded-md border bg-surface px-2.5 py-1.5">
            <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <WayMark kind={way.kind} />
              <button
                type="button"
                onClick={() => onOpenNode(way.to)}
                className="rounded-sm text-start font-medium wrap-anywhere hover:underline"
              >
                {toShownLine(titleOf(way.to))}
              </button>
              {way.label ? (
                <span className="rounded-sm bg-hover px-1.5 text-xs text-ink-soft">
                  {toShownLine(way.label)}
                </span>
              ) : undefined}
            </div>
            {way.reason ? (
              <p className="mt-0.5 text-sm text-ink-soft wrap-anywhere">
                <span className="text-ink-faint">
                  {t(way.kind === 'refused' ? 'move.lesson' : 'move.because')}
                </span>{' '}
                {toShownText(way.reason)}
              </p>
            ) : undefined}
          </li>
        ))}
      </ul>
    </NodePart>
  );
}

function WayMark({ kind }: Pick<NodeWay, 'kind'>) {
  const { t } = useTranslation();
  switch (kind) {
    case 'taken':
      return <ArrowRight aria-label={t('move.to')} className="size-3.5 shrink-0 text-ok" />;
    case 'refused':
      return (
        <span className="flex items-center gap-1.5 text-sm text-warn">
          <Ban className="size-3.5 shrink-0" />
          {t('move.refused')}
        </span>
      );
    case 'rewound':
      return (
        <span className="flex items-center gap-1.5 text-sm text-ink-soft">
          <Undo2 className="size-3.5 shrink-0" />
          {t('inspector.node.rewound')}
        </span>
      );
  }
}
