/**
 * A tree that is walked with the arrow keys: one stop for Tab, Right opens or goes in, Left closes or goes out, Home and End,
 * letters find. What is in a branch is asked for when it is opened.
 */
import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { classNames } from './class-names.ts';

export interface TreeNode {
  readonly id: string;
  readonly label: string;
  readonly icon?: ReactNode;
  /** Undefined for a leaf; empty also while its content is not known yet. */
  readonly children?: readonly TreeNode[];
}

interface TreeProps {
  readonly label: string;
  readonly nodes: readonly TreeNode[];
  readonly openIds: ReadonlySet<string>;
  readonly onToggle: (id: string, isOpen: boolean) => void;
  readonly onChoose: (id: string) => void;
  readonly chosenId?: string | undefined;
}

interface Row {
  readonly node: TreeNode;
  readonly level: number;
  readonly parentId: string | undefined;
}

export function Tree({ label, nodes, openIds, onToggle, onChoose, chosenId }: TreeProps) {
  const rows = toRows(nodes, openIds);
  const [focusedId, setFocusedId] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const stopId = rows.some(({ node }) => node.id === focusedId) ? focusedId : (chosenId ?? rows[0]?.node.id);

  const focusRow = (row: Row | undefined): void => {
    if (!row) return;
    setFocusedId(row.node.id);
    list.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(row.node.id)}"]`)?.focus();
  };

  const pressKey = (event: KeyboardEvent, row: Row): void => {
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
        else if (isBranch) focusRow(rows[index + 1]);
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
    <div ref={list} role="tree" aria-label={label} className="flex flex-col p-1">
      {rows.map((row) => {
        const { node, level } = row;
        const isOpen = node.children === undefined ? undefined : openIds.has(node.id);
        return (
          <div
            key={node.id}
            data-id={node.id}
            role="treeitem"
            aria-level={level}
            aria-expanded={isOpen}
            aria-selected={node.id === chosenId}
            tabIndex={node.id === stopId ? 0 : -1}
            onFocus={() => setFocusedId(node.id)}
            onKeyDown={(event) => pressKey(event, row)}
            onClick={() => choose(row)}
            style={{ paddingInlineStart: `${(level - 1) * 14 + 6}px` }}
            className={classNames(
              'flex h-7 shrink-0 cursor-pointer items-center gap-1.5 rounded-md pe-2 -outline-offset-2 select-none [&_svg]:size-4',
              node.id === chosenId
                ? 'bg-accent-soft text-ink'
                : 'text-ink-soft hover:bg-hover hover:text-ink',
            )}
          >
            <ChevronRight
              aria-hidden="true"
              className={classNames(
                'size-3.5! shrink-0 text-ink-faint transition-transform duration-(--quick)',
                isOpen === undefined && 'invisible',
                isOpen === true && 'rotate-90',
              )}
            />
            {node.icon}
            <span className="truncate">{node.label}</span>
          </div>
        );
      })}
    </div>
  );
}

function toRows(
  nodes: readonly TreeNode[],
  openIds: ReadonlySet<string>,
  level = 1,
  parentId?: string,
): Row[] {
  return nodes.flatMap((node) => [
    { node, level, parentId },
    ...(node.children && openIds.has(node.id) ? toRows(node.children, openIds, level + 1, node.id) : []),
  ]);
}
