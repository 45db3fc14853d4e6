/** Where a run can go back to, and which files it changed since it was there. Pure. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { NodeVisit } from '@crewagent/protocol/node-visits';
import type { RunView } from '@crewagent/protocol/run-view';

/** The last stay at each node where the run was before, the latest first; not where it is now. */
export function rewindTargets({ visits, state, phase }: Readonly<RunView>): readonly NodeVisit[] {
  const places = new Map<string, NodeVisit>();
  for (const visit of visits) {
    places.delete(visit.nodeId);
    places.set(visit.nodeId, visit);
  }
  // Of a complete run also the last node lies behind.
  if (phase !== 'Completed') places.delete(state.currentNodeId);
  return [...places.values()].reverse();
}

/**
 * What was changed since the run last came to a node, or was taken back to it, and is not yet undone; each file once. The
 * way there counts, not the first turn: what a call changed between the two is undone as well.
 */
export function filesSince(
  { timeline, visits }: Readonly<RunView>,
  nodeId: string,
  changes: readonly JournalEntry[],
): readonly string[] {
  const arrival = timeline.findLast((item) => item.kind === 'move' && item.to === nodeId);
  if (!arrival && visits[0]?.nodeId !== nodeId) return [];
  const since = changes.filter(({ at, undone }) => !undone && (!arrival || at >= arrival.ts));
  return [...new Set(since.map(({ path }) => path))];
}
