/**
 * Corrects small mistakes in the lists of a state document before validation: repeated entries, paths in another
 * spelling, decisions with missing fields. Pure.
 */
import type { Decision, WorkflowGraph } from '@crewagent/protocol/workflow';
import type { ListItem } from './edit-yaml-document.ts';
import { effectiveNode } from './transition.ts';
import type { WorkflowState } from './workflow-state.ts';

type TidyKey = 'stepsCompleted' | 'artifacts' | 'inputDocuments' | 'decisionLog';

export type TidyLists =
  | {
      readonly ok: true;
      readonly state: WorkflowState;
      /** Lists that differ from the proposal: retained items and their new values. */
      readonly lists: Readonly<Partial<Record<TidyKey, readonly ListItem[]>>>;
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

export function tidyLists(before: WorkflowState, after: WorkflowState, graph: WorkflowGraph): TidyLists {
  const steps = firstOccurrences(after.stepsCompleted);
  const artifacts = firstOccurrences(after.artifacts.map(toProjectPath));
  const documents = firstOccurrences(after.inputDocuments, toProjectPath);
  const decisions = tidyDecisions(before, after, graph);
  if (!Array.isArray(decisions)) return { ok: false, message: decisions.problem };
  const isNewRepeat = steps.length < after.stepsCompleted.length;
  return {
    ok: true,
    state: {
      ...after,
      stepsCompleted: steps.map(({ value }) => value),
      artifacts: artifacts.map(({ value }) => value),
      inputDocuments: documents.map(({ value }) => value),
      decisionLog: decisions.map(({ value }) => value),
    },
    lists: {
      ...changedList('stepsCompleted', after.stepsCompleted, steps),
      ...changedList('artifacts', after.artifacts, artifacts),
      ...changedList('inputDocuments', after.inputDocuments, documents),
      ...changedList('decisionLog', after.decisionLog, decisions),
    },
    notes: [
      ...(isNewRepeat ? ['Steps that are already in stepsCompleted were not added again.'] : []),
      ...(decisions.length < after.decisionLog.length
        ? ['A decision that is already recorded was not added again.']
        : []),
    ],
  };
}

interface RetainedItem<Value> {
  readonly index: number;
  readonly value: Value;
}

/** First occurrences only; `toKey`: what two values have in common that are the same. */
function firstOccurrences(
  values: readonly string[],
  toKey: (value: string) => string = (value) => value,
): RetainedItem<string>[] {
  const seen = new Map<string, RetainedItem<string>>();
  for (const [index, value] of values.entries()) {
    const key = toKey(value);
    if (!seen.has(key)) seen.set(key, { index, value });
  }
  return [...seen.values()];
}

function changedList<Value>(
  key: TidyKey,
  written: readonly Value[],
  retained: readonly RetainedItem<Value>[],
): Partial<Record<TidyKey, readonly ListItem[]>> {
  const isUnchanged =
    retained.length === written.length && retained.every(({ index, value }) => written[index] === value);
  if (isUnchanged) return {};
  return {
    [key]: retained.map(({ index, value }) => (written[index] === value ? { index } : { index, value })),
  };
}

/** Path relative to the project, as the runtime writes it; paths of other mounts are unchanged. */
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
): RetainedItem<Decision>[] | { readonly problem: string } {
  const current = effectiveNode(before, graph);
  const next = effectiveNode(after, graph);
  const retained: RetainedItem<Decision>[] = [];
  const seen = new Set<string>();
  for (const [index, entry] of after.decisionLog.entries()) {
    if (index < before.decisionLog.length) {
      retained.push({ index, value: entry });
      seen.add(edgeKey(entry));
      continue;
    }
    const value = fillDecision(entry, current, next, graph);
    const blank = (['from', 'to', 'label'] as const).find((key) => value[key] === '');
    if (blank !== undefined)
      return {
        problem: `The decisionLog entry from "${value.from}" has no "${blank}", and it cannot be derived from the graph; add it.`,
      };
    const key = edgeKey(value);
    // A node visited again may be left by the same edge again.
    const isCurrentMove = value.from === current && current !== next;
    if (!seen.has(key) || isCurrentMove) retained.push({ index, value });
    seen.add(key);
  }
  return retained;
}

/** Derives missing fields of a decision from the graph and the move. */
function fillDecision(entry: Decision, current: string, next: string, graph: WorkflowGraph): Decision {
  const from = entry.from.trim() || current;
  const outgoing = graph.edges.filter((edge) => edge.from === from);
  const named = outgoing.filter(({ label }) => label === entry.label);
  const moved = from === current && next !== current ? next : undefined;
  const to = entry.to.trim() || moved || only(named)?.to || '';
  const edges = outgoing.filter((edge) => edge.to === to);
  const label = entry.label.trim() || (only(edges) ?? edges.find(({ isDefault }) => isDefault))?.label || '';
  return from === entry.from && to === entry.to && label === entry.label
    ? entry
    : { ...entry, from, to, label };
}

function only<Value>(values: readonly Value[]): Value | undefined {
  return values.length === 1 ? values[0] : undefined;
}

function edgeKey({ from, to, label }: Decision): string {
  return JSON.stringify([from, to, label]);
}
