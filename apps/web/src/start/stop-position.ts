/** Where a run stopped, as the inbox shows it. Pure. */
import type { Story } from '@crewagent/protocol/story/story';

export interface StopPosition {
  readonly runId: string;
  readonly nodeId: string;
  readonly title: string;
  readonly files: number;
  /** The prompt of its question. */
  readonly question: string | undefined;
  /** The file it wants to change. */
  readonly change: string | undefined;
  /** Previous nodes, without duplicates, most recent first. */
  readonly earlier: readonly { readonly id: string; readonly title: string }[];
}

export function toStopPosition(view: Readonly<Story>): StopPosition {
  const { currentNodeId, artifacts } = view.state;
  const titles = new Map(view.nodes.map(({ id, title }) => [id, title]));
  const titleOf = (id: string): string => titles.get(id) || id;
  const { pending } = view;
  const earlier = [...new Set(view.visits.map(({ nodeId }) => nodeId).toReversed())];
  return {
    runId: view.runId,
    nodeId: currentNodeId,
    title: titleOf(currentNodeId),
    files: artifacts.length,
    question: pending?.kind === 'question' ? pending.questions[0]?.prompt : undefined,
    change: pending?.kind === 'approval' ? pending.action.target : undefined,
    earlier: earlier.filter((id) => id !== currentNodeId).map((id) => ({ id, title: titleOf(id) })),
  };
}
