/** Nodes a run can be rewound to, and the files it changed since. Pure. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import { toStatus } from '@crewagent/protocol/status';
import type { NodeVisit } from '@crewagent/protocol/story/node-visits';
import type { Story } from '@crewagent/protocol/story/story';

/** The last visit of each previous node, most recent first; without the current node. */
export function rewindTargets(view: Readonly<Story>): readonly NodeVisit[] {
  const { visits, state } = view;
  const latest = new Map<string, NodeVisit>();
  for (const visit of visits) {
    // A run is not rewound into a sub-workflow.
    if (visit.turns === 0) continue;
    latest.delete(visit.nodeId);
    latest.set(visit.nodeId, visit);
  }
  // The last node of a complete run is a target as well.
  if (toStatus(view).kind !== 'completed') latest.delete(state.currentNodeId);
  return [...latest.values()].reverse();
}

/**
 * Files changed since the run last entered a node, or was rewound to it, that are not undone; without duplicates. Counts from
 * the transition, not from the first turn: changes between the two are undone as well.
 */
export function filesSince(
  { timeline, visits }: Readonly<Story>,
  nodeId: string,
  changes: readonly JournalEntry[],
): readonly string[] {
  const arrival = timeline.findLast((item) => item.kind === 'move' && item.to === nodeId);
  if (!arrival && visits[0]?.nodeId !== nodeId) return [];
  const since = changes.filter(({ at, undone }) => !undone && (!arrival || at >= arrival.ts));
  return [...new Set(since.map(({ path }) => path))];
}
