/** The title of a node; its id if the run does not know it. */
import type { Story } from '@crewagent/protocol/story/story';

export function nodeTitle({ nodes }: Pick<Story, 'nodes'>, nodeId: string): string {
  return nodes.find(({ id }) => id === nodeId)?.title ?? nodeId;
}
