/**
 * A tree with keyboard navigation: one Tab stop; Right expands or enters, Left collapses or leaves, Home and End, type to find.
 * Children are requested when a branch is expanded; only visible rows are mounted.
 */

import { ChevronRight, MoreHorizontal } from 'lucide-react';
import {
  type HTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  type MouseEvent as RowEvent,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { classNames } from '../class-names.ts';

interface TreeProps {
  readonly label: string;
  readonly nodes: readonly TreeNode[];
  readonly openIds: ReadonlySet<string>;
  readonly onToggle: (id: string, isOpen: boolean) => void;
  readonly onChoose: (id: string) => void;
  readonly chosenId?: string | undefined;
  /** Runs before the tree's own key handling; call `preventDefault` to skip that. */
  readonly onPressKey?: (event: KeyboardEvent, id: string) => void;
  /** Additional attributes of a row, for drag and drop. */
  readonly rowAttributes?: (id: string) => HTMLAttributes<HTMLElement>;
  /** A field that replaces the label of one row. */
  readonly editing?: { readonly id: string; readonly field: ReactNode } | undefined;
  /** A button in each row that opens its context menu, for discoverability. */
  readonly hasMenus?: boolean;
  readonly handle?: Ref<TreeHandle>;
}

export function Tree(props: TreeProps) {
  const { label, nodes, openIds, onToggle, onChoose, chosenId, onPressKey, editing } = props;
  const rows = toRows(nodes, openIds);
  const [focusedId, setFocusedId] = useState<string>();
  const scroller = useRef<HTMLDivElement>(null);
  const { list, focusRow } = useRowFocus({ rows, scroller, handle: props.handle, onFocus: setFocusedId });
  const has = (id: string | undefined): boolean => rows.some(({ node }) => node.id === id);
  const stopId = has(focusedId) ? focusedId : has(chosenId) ? chosenId : rows[0]?.node.id;
  const stopIndex = rows.findIndex(({ node }) => node.id === stopId);

  const pressKey = (event: KeyboardEvent, row: Row): void => {
    if (event.target !== event.currentTarget) return;
    onPressKey?.(event, row.node.id);
    if (event.defaultPrevented) return;
    const index = rows.indexOf(row);
    const isBranch = row.node.children !== undefined;
    const isOpen = openIds.has(row.node.id);
    const act: Record<string, () => void> = {
      ArrowDown: () => focusRow(rows[index + 1]),
      ArrowUp: () => focusRow(rows[index - 1]),
      Home: () => focusRow(rows[0]),
      End: () => focusRow(rows.at(-1)),
      ArrowRight: () => {
        if (isBranch && !isOpen) onToggle(row.node.id, true);
        else if (isBranch && rows[index + 1]?.parentId === row.node.id) focusRow(rows[index + 1]);
      },
      ArrowLeft: () => {
        if (isBranch && isOpen) onToggle(row.node.id, false);
        else focusRow(rows.find(({ node }) => node.id === row.parentId));
      },
      Enter: () => choose(row),
      ' ': () => choose(row),
    };
    const action = act[event.key] ?? letterAction(event, index);
    if (!action) return;
    event.preventDefault();
    action();
  };

  const letterAction = (event: KeyboardEvent, index: number): (() => void) | undefined => {
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const letter = event.key.toLocaleLowerCase();
    const inOrder = [...rows.slice(index + 1), ...rows.slice(0, index + 1)];
    return () => focusRow(inOrder.find(({ node }) => node.label.toLocaleLowerCase().startsWith(letter)));
  };

  const choose = ({ node }: Row): void => {
    if (node.children === undefined) onChoose(node.id);
    else onToggle(node.id, !openIds.has(node.id));
  };

  return (
    <div ref={scroller} role="tree" aria-label={label} className="h-full overflow-y-auto p-1">
      <Virtualizer
        ref={list}
        scrollRef={scroller}
        bufferSize={400}
        itemSize={28}
        keepMounted={stopIndex < 0 ? [] : [stopIndex]}
      >
        {rows.map((row) => (
          <TreeRow
            key={row.node.id}
            row={row}
            isOpen={row.node.children === undefined ? undefined : openIds.has(row.node.id)}
            isChosen={row.node.id === chosenId}
            isStop={row.node.id === stopId}
            field={editing?.id === row.node.id ? editing.field : undefined}
            hasMenu={props.hasMenus ?? false}
            attributes={props.rowAttributes?.(row.node.id)}
            onFocus={() => setFocusedId(row.node.id)}
            onKeyDown={(event) => pressKey(event, row)}
            onClick={() => choose(row)}
          />
        ))}
      </Virtualizer>
    </div>
  );
}

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

/** One row of a tree. */
function TreeRow(props: TreeRowProps) {
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

export interface TreeNode {
  readonly id: string;
  readonly label: string;
  readonly icon?: ReactNode;
  /** Undefined for a leaf; empty while the children are not loaded. */
  readonly children?: readonly TreeNode[];
  /** Less important than the others. */
  readonly isDim?: boolean;
  /** Additional information, visible and announced. */
  readonly note?: string | undefined;
}

export interface Row {
  readonly node: TreeNode;
  readonly level: number;
  readonly parentId: string | undefined;
  /** From 1, among its siblings. */
  readonly position: number;
  readonly siblings: number;
}

/** Nodes of a tree, and its expanded part as a flat list of rows. */
export function toRows(
  nodes: readonly TreeNode[],
  openIds: ReadonlySet<string>,
  level = 1,
  parentId?: string,
): Row[] {
  return nodes.flatMap((node, index) => [
    { node, level, parentId, position: index + 1, siblings: nodes.length },
    ...(node.children && openIds.has(node.id) ? toRows(node.children, openIds, level + 1, node.id) : []),
  ]);
}

export interface TreeHandle {
  /** Waits for the row to be mounted. */
  readonly focus: (id: string) => void;
}

interface RowFocusOptions extends Pick<TreeProps, 'handle'> {
  readonly rows: readonly Row[];
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onFocus: (id: string) => void;
}

/** Moves the keyboard focus to a row of a tree, also to one that is not mounted yet. */
function useRowFocus({ rows, scroller, handle, onFocus }: RowFocusOptions) {
  const list = useRef<VirtualizerHandle>(null);
  const wanted = useRef<string>(undefined);

  const tryFocus = (id: string): boolean => {
    const element = scroller.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
    element?.focus();
    return element !== null && element !== undefined && document.activeElement === element;
  };
  const focusId = (id: string): void => {
    onFocus(id);
    wanted.current = tryFocus(id) ? undefined : id;
  };

  // The row is mounted by one of the next renders.
  useEffect(() => {
    const id = wanted.current;
    const index = id === undefined ? -1 : rows.findIndex(({ node }) => node.id === id);
    if (id === undefined || index < 0) return;
    list.current?.scrollToIndex(index, { align: 'nearest' });
    let left = 10;
    let frame = requestAnimationFrame(function again() {
      if (tryFocus(id) || --left === 0) wanted.current = undefined;
      else frame = requestAnimationFrame(again);
    });
    return () => cancelAnimationFrame(frame);
  });

  useImperativeHandle(handle, () => ({ focus: focusId }));
  return { list, focusRow: (row: Row | undefined): void => row && focusId(row.node.id) };
}
