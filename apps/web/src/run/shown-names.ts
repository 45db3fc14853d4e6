/** Names of nodes and files as they are shown. */
import type { Story } from '@crewagent/protocol/story/story';
import { toShownLine } from '../ui/sanitize-text.ts';

/** Its title; its id if the run does not know it. */
export function nodeTitle({ nodes }: Pick<Story, 'nodes'>, nodeId: string): string {
  return nodes.find(({ id }) => id === nodeId)?.title ?? nodeId;
}

/** Without the mount of the project. */
export function toShownPath(path: string): string {
  return toShownLine(path).replace(/^@project\//, '');
}
