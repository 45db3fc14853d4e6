/** The open part of a tree as rows from top to bottom. */
import type { TreeNode } from './tree.tsx';

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
