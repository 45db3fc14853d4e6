/** Names of nodes and files as they are shown. */
import type { RunView } from '@crewagent/protocol/run-view';
import { toShownLine } from '../ui/sanitize-text.ts';

/** Its title; its id if the run does not know it. */
export function nodeTitle({ nodes }: Pick<RunView, 'nodes'>, nodeId: string): string {
  return nodes.find(({ id }) => id === nodeId)?.title ?? nodeId;
}

/** Without the mount of the project. */
export function toShownPath(path: string): string {
  return toShownLine(path).replace(/^@project\//, '');
}
