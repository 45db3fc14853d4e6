/** Names of nodes and files as they are shown. */
import { toShownLine } from '../ui/sanitize-text.ts';

/** Its title; its id if the run does not know it. */
export function nodeTitle({ nodes }: Titled, nodeId: string): string {
  return nodes.find(({ id }) => id === nodeId)?.title ?? nodeId;
}

interface Titled {
  readonly nodes: readonly { readonly id: string; readonly title: string }[];
}

/** Without the mount of the project. */
export function toShownPath(path: string): string {
  return toShownLine(path).replace(/^@project\//, '');
}
