/** The nodes of a workflow in order, each with its edges: the graph for the keyboard and for screen readers. */
import type { AuthorWorkflow } from '@crewagent/protocol/author';
import { CornerDownRight } from 'lucide-react';
import { useTranslation } from '../i18n/use-translation.ts';
import { classNames } from '../ui/class-names.ts';
import { ROW_BUTTON, useArrowKeys } from '../ui/rows.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import type { Selection } from './use-author.ts';

interface NodeListProps {
  readonly workflow: AuthorWorkflow;
  readonly selection: Selection | undefined;
  readonly onSelect: (selection: Selection) => void;
}

export function NodeList({ workflow: { nodes, edges, entryNodeId }, selection, onSelect }: NodeListProps) {
  const { t } = useTranslation();
  const { list, onKeyDown } = useArrowKeys<HTMLUListElement>();
  const titles = new Map(nodes.map(({ id, title }) => [id, toShownLine(title ?? id)]));
  const row = (target: Selection, isChosen: boolean, className: string) => ({
    type: 'button' as const,
    'data-list-item': true,
    'aria-current': isChosen || undefined,
    className: classNames(ROW_BUTTON, 'py-1.5!', className, isChosen && 'bg-hover'),
    onClick: () => onSelect(target),
  });
  return (
    <ul ref={list} onKeyDown={onKeyDown} aria-label={t('author.nodes')} className="h-full overflow-auto py-1">
      {nodes.flatMap(({ id, type }) => [
        <li key={`node ${id}`}>
          <button {...row({ kind: 'node', id }, selection?.kind === 'node' && selection.id === id, '')}>
            <span className="min-w-0 grow truncate font-medium">{titles.get(id)}</span>
            <span className="shrink-0 text-sm text-ink-faint">
              {id === entryNodeId ? `${t('author.start')} · ` : ''}
              {t(`nodeType.${type}`)}
            </span>
          </button>
        </li>,
        ...edges.flatMap(({ from, to, label }, index) =>
          from === id
            ? [
                // biome-ignore lint/suspicious/noArrayIndexKey: an edge is named by its index
                <li key={`edge ${index}`}>
                  <button
                    {...row(
                      { kind: 'edge', index },
                      selection?.kind === 'edge' && selection.index === index,
                      'ps-8! text-ink-soft',
                    )}
                  >
                    <CornerDownRight className="size-3.5 shrink-0" />
                    <span className="min-w-0 truncate">
                      {`${toShownLine(label)} → ${titles.get(to) ?? toShownLine(to)}`}
                    </span>
                  </button>
                </li>,
              ]
            : [],
        ),
      ])}
    </ul>
  );
}
