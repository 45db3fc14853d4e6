/**
 * A tree with keyboard navigation: one Tab stop; Right expands or enters, Left collapses or leaves, Home and End, type to find.
 * Children are requested when a branch is expanded; only visible rows are mounted.
 */
import { type HTMLAttributes, type KeyboardEvent, type ReactNode, type Ref, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import { TreeRow } from './tree-row.tsx';
import { type Row, type TreeNode, toRows } from './tree-rows.ts';
import { type TreeHandle, useRowFocus } from './use-row-focus.ts';

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
