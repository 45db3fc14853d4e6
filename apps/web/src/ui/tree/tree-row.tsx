/** One row of a tree. */
import { ChevronRight, MoreHorizontal } from 'lucide-react';
import type { HTMLAttributes, KeyboardEvent, ReactNode, MouseEvent as RowEvent } from 'react';
import { classNames } from '../class-names.ts';
import type { Row } from './tree-rows.ts';

interface TreeRowProps {
  readonly row: Row;
  /** Undefined for a leaf. */
  readonly isOpen: boolean | undefined;
  readonly isChosen: boolean;
  readonly isStop: boolean;
  readonly field: ReactNode;
  readonly hasMenu: boolean;
  readonly attributes: HTMLAttributes<HTMLElement> | undefined;
  readonly onFocus: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onClick: () => void;
}

export function TreeRow(props: TreeRowProps) {
  const { row, isOpen, isChosen, isStop, field, hasMenu, attributes, onFocus, onKeyDown, onClick } = props;
  const { node, level, position, siblings } = row;
  return (
    <div
      {...attributes}
      data-id={node.id}
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isOpen}
      aria-selected={isChosen}
      aria-description={node.note}
      title={node.note}
      tabIndex={isStop ? 0 : -1}
      onFocus={onFocus}
      onKeyDown={onKeyDown}
      onClick={field === undefined ? onClick : undefined}
      style={{ paddingInlineStart: `${(level - 1) * 14 + 6}px` }}
      className={classNames(
        'group/row flex h-7 shrink-0 cursor-pointer items-center gap-1.5 rounded-md pe-1 -outline-offset-2 select-none [&_svg]:size-4 [&_svg]:shrink-0',
        isChosen ? 'bg-accent-soft text-ink' : 'text-ink-soft hover:bg-hover hover:text-ink',
        attributes?.className,
      )}
    >
      <ChevronRight
        aria-hidden="true"
        className={classNames(
          'size-3.5! text-ink-faint transition-transform duration-(--quick)',
          isOpen === undefined && 'invisible',
          isOpen === true && 'rotate-90',
        )}
      />
      {node.icon}
      {field ?? (
        <span className={classNames('min-w-0 grow truncate', node.isDim && 'text-ink-faint italic')}>
          {node.label}
        </span>
      )}
      {hasMenu && field === undefined ? (
        <span
          aria-hidden="true"
          onClick={openContextMenu}
          className="invisible rounded-sm p-0.5 text-ink-faint pointer-coarse:visible pointer-coarse:p-3 group-hover/row:visible group-focus/row:visible hover:bg-pressed hover:text-ink"
        >
          <MoreHorizontal />
        </span>
      ) : undefined}
    </div>
  );
}

/** Simulates a right click. The keyboard has its own keys for it. */
function openContextMenu(event: RowEvent<HTMLElement>): void {
  event.stopPropagation();
  const { left, bottom } = event.currentTarget.getBoundingClientRect();
  event.currentTarget.dispatchEvent(
    new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX: left, clientY: bottom }),
  );
}
