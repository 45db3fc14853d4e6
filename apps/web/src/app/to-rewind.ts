/** Where a run can go back to, and which files it changed since it was there. Pure. */
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { NodeVisit } from '@crewagent/protocol/node-visits';
import type { RunView } from '@crewagent/protocol/run-view';

/** The last stay at each node where the run was before, the latest first; not where it is now. */
export function placesToGoBack({ visits, state, phase }: Readonly<RunView>): readonly NodeVisit[] {
  const places = new Map<string, NodeVisit>();
  for (const visit of visits) {
    places.delete(visit.nodeId);
    places.set(visit.nodeId, visit);
  }
  // Of a complete run also the last node lies behind.
  if (phase !== 'Completed') places.delete(state.currentNodeId);
  return [...places.values()].reverse();
}

/** What was changed since the run last came to a node, and not yet taken back; each file once. */
export function filesSince(
  { visits }: Readonly<RunView>,
  nodeId: string,
  changes: readonly JournalEntry[],
): readonly string[] {
  const visit = visits.findLast((stay) => stay.nodeId === nodeId);
  if (!visit) return [];
  const since = changes.filter(({ at, undone }) => !undone && at >= visit.startedAt);
  return [...new Set(since.map(({ path }) => path))];
}
