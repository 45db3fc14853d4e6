/** Nodes of a tree, and its expanded part as a flat list of rows. */
import type { ReactNode } from 'react';

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
