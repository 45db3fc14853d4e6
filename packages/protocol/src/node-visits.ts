/**
 * The visits of a run to its nodes, folded from events: agent, duration and cost of each. Returning to a node starts a new
 * visit.
 */
import type { RunEvent } from './events.ts';
import type { Usage } from './model.ts';

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

export function foldNodeVisits(visits: readonly NodeVisit[], event: RunEvent): readonly NodeVisit[] {
  switch (event.type) {
    case 'turn.started': {
      const { nodeId, agentId, seq, ts } = event;
      if (nodeId === undefined) return visits;
      const last = visits.at(-1);
      if (last?.nodeId === nodeId && !last.isOver)
        return withLast(visits, { agentId, lastAt: ts, turns: last.turns + 1 });
      const usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };
      return [...visits, { nodeId, agentId, firstSeq: seq, startedAt: ts, lastAt: ts, turns: 1, usage }];
    }
    case 'state.changed':
      if (visits.length === 0) return visits;
      if (event.isRewind) return withLast(visits, { isOver: true });
      return event.outputsMissing ? withLast(visits, { outputsMissing: event.outputsMissing }) : visits;
    case 'usage.updated': {
      const last = visits.at(-1);
      return last ? withLast(visits, { usage: addUsage(last.usage, event.usage), lastAt: event.ts }) : visits;
    }
    case 'message.completed':
    case 'tool.ended':
      return visits.length === 0 ? visits : withLast(visits, { lastAt: event.ts });
    default:
      return visits;
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

function withLast(visits: readonly NodeVisit[], change: Partial<NodeVisit>): readonly NodeVisit[] {
  return visits.map((visit, index) => (index === visits.length - 1 ? { ...visit, ...change } : visit));
}

/** The sum is unknown if one part is unknown, and estimated if one part is estimated. */
function addUsage(sum: Usage, added: Usage): Usage {
  const isFirst = sum.promptTokens + sum.completionTokens === 0;
  const costUsd = isFirst ? added.costUsd : addKnown(sum.costUsd, added.costUsd);
  return {
    promptTokens: sum.promptTokens + added.promptTokens,
    completionTokens: sum.completionTokens + added.completionTokens,
    cachedTokens: sum.cachedTokens + added.cachedTokens,
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(sum.isEstimated || added.isEstimated ? { isEstimated: true as const } : {}),
  };
}

function addKnown(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}
