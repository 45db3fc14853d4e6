/** All calls of a run or thread, by kind and outcome. Pure. */

import type { ToolItem } from '@crewagent/protocol/story/items';
import type { Story } from '@crewagent/protocol/story/story';
import { isFileChange, isRead, targetOf } from '@crewagent/protocol/tool-effects';

export const CALL_KINDS = ['read', 'write', 'state', 'ask', 'other'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

export const CALL_OUTCOMES = ['ok', 'failed', 'refused', 'open'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export interface CallFilter {
  readonly kind: CallKind | undefined;
  readonly outcome: CallOutcome | undefined;
  /** Part of the path, pattern or name. */
  readonly text: string;
}

export function callsOf({ timeline }: Readonly<Story>): readonly ToolItem[] {
  return timeline.filter((item): item is ToolItem => item.kind === 'tool');
}

export function filterCalls(
  calls: readonly ToolItem[],
  { kind, outcome, text }: CallFilter,
): readonly ToolItem[] {
  const wanted = text.trim().toLowerCase();
  return calls.filter(
    (call) =>
      (kind === undefined || kindOf(call) === kind) &&
      (outcome === undefined || outcomeOf(call) === outcome) &&
      [call.name, targetOf(call)].some((name) => name?.toLowerCase().includes(wanted)),
  );
}

export function kindOf({ effect }: Pick<ToolItem, 'effect'>): CallKind {
  if (isRead(effect)) return 'read';
  if (isFileChange(effect)) return 'write';
  if (effect.kind === 'state') return 'state';
  return effect.kind === 'asked' ? 'ask' : 'other';
}

export function outcomeOf({ status }: Pick<ToolItem, 'status'>): CallOutcome {
  return status === 'asked' || status === 'running' ? 'open' : status;
}

export type CallRow =
  | { readonly kind: 'node'; readonly key: string; readonly nodeId: string }
  | { readonly kind: 'call'; readonly key: string; readonly call: ToolItem };

/** Inserts a header where the calls of another node begin. */
export function toCallRows(calls: readonly ToolItem[]): readonly CallRow[] {
  const rows: CallRow[] = [];
  let currentNode: string | undefined;
  for (const call of calls) {
    const key = `${call.seq}:${call.callId}`;
    if (call.nodeId !== undefined && call.nodeId !== currentNode)
      rows.push({ kind: 'node', key: `${key}:node`, nodeId: call.nodeId });
    currentNode = call.nodeId;
    rows.push({ kind: 'call', key, call });
  }
  return rows;
}
