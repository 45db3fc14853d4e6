/** The title of a node; its id if the run does not know it. */
import type { RunView } from '@crewagent/protocol/run-view';

export function nodeTitle({ nodes }: Pick<RunView, 'nodes'>, nodeId: string): string {
  return nodes.find(({ id }) => id === nodeId)?.title ?? nodeId;
}
