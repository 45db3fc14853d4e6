/** What a tree is made of, and its open part as rows from top to bottom. */
import type { ReactNode } from 'react';

export interface TreeNode {
  readonly id: string;
  readonly label: string;
  readonly icon?: ReactNode;
  /** Undefined for a leaf; empty also while its content is not known yet. */
  readonly children?: readonly TreeNode[];
  /** Matters less than the others. */
  readonly isDim?: boolean;
  /** One more thing about it, for those who see it and those who do not. */
  readonly note?: string | undefined;
}

export interface Row {
  readonly node: TreeNode;
  readonly level: number;
  readonly parentId: string | undefined;
  /** From 1, among those beside it. */
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
