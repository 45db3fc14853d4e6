/**
 * What each stay at a node took, folded from a run's events: who worked there, for how long, at what cost. A node that is
 * come back to is stayed at again.
 */
import type { RunEvent } from './events.ts';
import type { Usage } from './model.ts';

export interface NodeVisit {
  readonly nodeId: string;
  readonly agentId: string | undefined;
  /** Number of the event it began with. */
  readonly firstSeq: number;
  readonly startedAt: string;
  /** The last that was heard from there. */
  readonly lastAt: string;
  readonly turns: number;
  readonly usage: Usage;
  /** Declared outputs that were not there when it was left. */
  readonly outputsMissing?: readonly string[];
  /** A person took the run back: the next turn begins another stay, also at the same node. */
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

/** Declared outputs that no node has written since its last stay was left without them. */
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

/** A sum of which one part is not known is not known; one with a guess in it is a guess. */
function addUsage(sum: Usage, more: Usage): Usage {
  const isFirst = sum.promptTokens + sum.completionTokens === 0;
  const costUsd = isFirst ? more.costUsd : addKnown(sum.costUsd, more.costUsd);
  return {
    promptTokens: sum.promptTokens + more.promptTokens,
    completionTokens: sum.completionTokens + more.completionTokens,
    cachedTokens: sum.cachedTokens + more.cachedTokens,
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(sum.isEstimated || more.isEstimated ? { isEstimated: true as const } : {}),
  };
}

function addKnown(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}
