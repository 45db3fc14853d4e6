/**
 * The visits of a run to its nodes, folded from events: agent, duration and cost of each. Returning to a node starts a new
 * visit.
 */
import type { RunEvent } from '../events.ts';
import { addUsage, NO_USAGE, type Usage } from '../model.ts';

export interface NodeVisit {
  readonly nodeId: string;
  readonly agentId: string | undefined;
  /** Sequence number of the first event. */
  readonly firstSeq: number;
  readonly startedAt: string;
  /** Time of the latest event. */
  readonly lastAt: string;
  readonly turns: number;
  readonly usage: Usage;
  /** Declared outputs that did not exist when the node was left. */
  readonly outputsMissing?: readonly string[];
  /** A person rewound the run: the next turn starts a new visit, also at the same node. */
  readonly isOver?: true;
}

/** Changes only the last visit: a run may have thousands. */
export function addToNodeVisits(visits: NodeVisit[], event: RunEvent): void {
  const last = visits.at(-1);
  if (event.type === 'turn.started') {
    const { nodeId, agentId, seq, ts } = event;
    if (nodeId === undefined) return;
    if (last?.nodeId === nodeId && !last.isOver)
      visits[visits.length - 1] = { ...last, agentId, lastAt: ts, turns: last.turns + 1 };
    else
      visits.push({ nodeId, agentId, firstSeq: seq, startedAt: ts, lastAt: ts, turns: 1, usage: NO_USAGE });
  } else if (last) visits[visits.length - 1] = updateVisit(last, event);
}

function updateVisit(visit: NodeVisit, event: RunEvent): NodeVisit {
  switch (event.type) {
    case 'state.changed':
      if (event.isRewind) return { ...visit, isOver: true };
      return event.outputsMissing ? { ...visit, outputsMissing: event.outputsMissing } : visit;
    case 'usage.updated':
      return { ...visit, usage: addVisited(visit.usage, event.usage), lastAt: event.ts };
    case 'message.completed':
    case 'tool.ended':
      return { ...visit, lastAt: event.ts };
    default:
      return visit;
  }
}

/** Declared outputs that were missing after the last visit to their node and have not been written since. */
export function outputsStillMissing(
  visits: readonly NodeVisit[],
  { artifacts }: { readonly artifacts: readonly string[] },
): readonly string[] {
  const last = new Map(visits.map((visit) => [visit.nodeId, visit]));
  const missing = [...last.values()].flatMap(({ outputsMissing = [] }) => outputsMissing);
  return [...new Set(missing)].filter((path) => !artifacts.includes(path.replace(/^@project\//, '')));
}

/** As a total, but the cost of a visit is unknown if that of one request is. */
function addVisited(sum: Usage, added: Usage): Usage {
  const isFirst = sum.promptTokens + sum.completionTokens === 0;
  const isKnown = (isFirst || sum.costUsd !== undefined) && added.costUsd !== undefined;
  const total = addUsage(sum, added);
  return isKnown ? total : { ...total, costUsd: undefined };
}
