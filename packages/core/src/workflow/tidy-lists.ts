/**
 * What a writer got almost right in the lists of a state document: an entry that is there already, an artifact in another
 * spelling, a decision with a blank. Put right before the change is judged. Pure.
 */
import type { Decision, WorkflowGraph } from '@crewagent/protocol/workflow';
import type { ListItem } from './edit-yaml-lines.ts';
import { effectiveNode } from './transition.ts';
import type { WorkflowState } from './workflow-state.ts';

type TidyKey = 'stepsCompleted' | 'artifacts' | 'decisionLog';

export type TidyLists =
  | {
      readonly ok: true;
      readonly state: WorkflowState;
      /** The lists that are not as they were written: which items stay, and what becomes of them. */
      readonly lists: Readonly<Partial<Record<TidyKey, readonly ListItem[]>>>;
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

export function tidyLists(before: WorkflowState, after: WorkflowState, graph: WorkflowGraph): TidyLists {
  const steps = once(after.stepsCompleted);
  const artifacts = once(after.artifacts.map(toProjectPath));
  const decisions = tidyDecisions(before, after, graph);
  if (!Array.isArray(decisions)) return { ok: false, message: decisions.problem };
  const isNewRepeat = steps.length < after.stepsCompleted.length;
  return {
    ok: true,
    state: {
      ...after,
      stepsCompleted: steps.map(({ value }) => value),
      artifacts: artifacts.map(({ value }) => value),
      decisionLog: decisions.map(({ value }) => value),
    },
    lists: {
      ...changedList('stepsCompleted', after.stepsCompleted, steps),
      ...changedList('artifacts', after.artifacts, artifacts),
      ...changedList('decisionLog', after.decisionLog, decisions),
    },
    notes: [
      ...(isNewRepeat ? ['What is already in stepsCompleted was not added again.'] : []),
      ...(decisions.length < after.decisionLog.length
        ? ['A decision that is already recorded was not added again.']
        : []),
    ],
  };
}

interface Kept<Value> {
  readonly index: number;
  readonly value: Value;
}

/** The first of each. */
function once(values: readonly string[]): Kept<string>[] {
  const seen = new Map<string, Kept<string>>();
  for (const [index, value] of values.entries()) if (!seen.has(value)) seen.set(value, { index, value });
  return [...seen.values()];
}

function changedList<Value>(
  key: TidyKey,
  written: readonly Value[],
  kept: readonly Kept<Value>[],
): Partial<Record<TidyKey, readonly ListItem[]>> {
  const isAsWritten =
    kept.length === written.length && kept.every(({ index, value }) => written[index] === value);
  if (isAsWritten) return {};
  return {
    [key]: kept.map(({ index, value }) => (written[index] === value ? { index } : { index, value })),
  };
}

/** Relative to the project, as the runtime itself writes it; paths of other mounts stay as they are. */
function toProjectPath(path: string): string {
  const parts: string[] = [];
  for (const part of path
    .trim()
    .replace(/^@project\/+/, '')
    .split('/')) {
    if (part === '..' && parts.length === 0) return path;
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.length === 0 || parts[0]?.startsWith('@') ? path : parts.join('/');
}

function tidyDecisions(
  before: WorkflowState,
  after: WorkflowState,
  graph: WorkflowGraph,
): Kept<Decision>[] | { readonly problem: string } {
  const here = effectiveNode(before, graph);
  const next = effectiveNode(after, graph);
  const kept: Kept<Decision>[] = [];
  const ways = new Set<string>();
  for (const [index, entry] of after.decisionLog.entries()) {
    if (index < before.decisionLog.length) {
      kept.push({ index, value: entry });
      ways.add(wayOf(entry));
      continue;
    }
    const value = fillDecision(entry, here, next, graph);
    const blank = (['from', 'to', 'label'] as const).find((key) => value[key] === '');
    if (blank !== undefined)
      return {
        problem: `The entry of decisionLog from "${value.from}" has no "${blank}", and the graph does not tell which is meant; write it.`,
      };
    const way = wayOf(value);
    // A node that is come back to may be left the same way again.
    const isMade = value.from === here && here !== next;
    if (!ways.has(way) || isMade) kept.push({ index, value });
    ways.add(way);
  }
  return kept;
}

/** What the graph and the move tell of an entry that the writer left blank. */
function fillDecision(entry: Decision, here: string, next: string, graph: WorkflowGraph): Decision {
  const from = entry.from.trim() || here;
  const ways = graph.edges.filter((edge) => edge.from === from);
  const named = ways.filter(({ label }) => label === entry.label);
  const moved = from === here && next !== here ? next : undefined;
  const to = entry.to.trim() || moved || only(named)?.to || '';
  const edges = ways.filter((edge) => edge.to === to);
  const label = entry.label.trim() || (only(edges) ?? edges.find(({ isDefault }) => isDefault))?.label || '';
  return from === entry.from && to === entry.to && label === entry.label
    ? entry
    : { ...entry, from, to, label };
}

function only<Value>(values: readonly Value[]): Value | undefined {
  return values.length === 1 ? values[0] : undefined;
}

function wayOf({ from, to, label }: Decision): string {
  return JSON.stringify([from, to, label]);
}
