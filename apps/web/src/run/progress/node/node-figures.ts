/** Time, tokens, cost and files of each node of a run, over all its visits. Pure. */
import type { RunModel, Usage } from '@crewagent/protocol/model';
import { type NodeVisit, timesOf } from '@crewagent/protocol/story/node-visits';
import type { Story } from '@crewagent/protocol/story/story';
import { type Runs, treeFiles, treeUsage } from '@crewagent/protocol/story/tree-figures';

/** `unknown`: no price is known for at least one request. `none`: no provider was asked. */
export type Cost = number | 'unknown' | 'none';

export interface NodeFigures {
  readonly visits: readonly NodeVisit[];
  /** Up to the last event; the time since `growsSince` is to be added. */
  readonly durationMs: number;
  /** Set while the run is at work here. */
  readonly growsSince: string | undefined;
  readonly tokens: number;
  readonly cost: Cost;
  /** Full mount paths, each once. */
  readonly files: readonly string[];
}

/** By node. */
export function toNodeFigures(view: Readonly<Story>, runs: Runs): ReadonlyMap<string, NodeFigures> {
  const visitsOf = new Map<string, NodeVisit[]>();
  for (const visit of view.visits) {
    const known = visitsOf.get(visit.nodeId);
    if (known) known.push(visit);
    else visitsOf.set(visit.nodeId, [visit]);
  }
  return new Map([...visitsOf].map(([nodeId, visits]) => [nodeId, toFigures(view, visits, runs)]));
}

function toFigures(view: Readonly<Story>, visits: readonly NodeVisit[], runs: Runs): NodeFigures {
  const usages = visits.map((visit) => usageOf(visit, runs));
  return {
    visits,
    durationMs: timesOf(visits).workedMs,
    growsSince: visits.map((visit) => worksSince(view, visit)).at(-1),
    tokens: usages.reduce((sum, usage) => sum + tokensOf(usage), 0),
    cost: addCosts(usages.map((usage) => costOf(usage, view.model))),
    files: [...new Set(visits.flatMap((visit) => filesOf(visit, runs)))],
  };
}

/** When the part of a visit began that is still going on. */
export function growsSince({ visits, phase }: Readonly<Story>, visit: NodeVisit): string | undefined {
  const isOpen = phase === 'Running' || phase === 'WaitingUser';
  return isOpen && visit === visits.at(-1) && visit.pause !== 'stopped' ? visit.lastAt : undefined;
}

/** The same of a visit in which the run does not wait. */
export function worksSince(view: Readonly<Story>, visit: NodeVisit): string | undefined {
  return visit.pause === undefined ? growsSince(view, visit) : undefined;
}

/** Of a call in progress: what the called run used so far. */
export function usageOf({ usage, calledId }: NodeVisit, runs: Runs): Usage {
  const called = calledId === undefined || tokensOf(usage) > 0 ? undefined : runs.get(calledId);
  return called ? treeUsage(called, runs) : usage;
}

/** Of a call in progress: what the called run has written so far. */
function filesOf({ files = [], calledId, isOver }: NodeVisit, runs: Runs): readonly string[] {
  const called = calledId === undefined || isOver ? undefined : runs.get(calledId);
  return called ? [...files, ...treeFiles(called, runs)] : files;
}

export function tokensOf({ promptTokens, completionTokens }: Usage): number {
  return promptTokens + completionTokens;
}

/** Undefined where nothing was used. */
export function costOf(usage: Usage, model: RunModel | undefined): Cost | undefined {
  if (tokensOf(usage) === 0) return undefined;
  if (model && model.kind !== 'provider') return 'none';
  return usage.costUsd ?? 'unknown';
}

/** A sum with an unknown part is unknown. */
export function addCosts(costs: readonly (Cost | undefined)[]): Cost {
  const used = costs.filter((cost) => cost !== undefined);
  if (used.includes('unknown')) return 'unknown';
  const priced = used.filter((cost) => typeof cost === 'number');
  return priced.length === 0 ? 'none' : priced.reduce((sum, cost) => sum + cost, 0);
}
