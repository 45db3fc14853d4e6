/**
 * How the state document came to be what it is: every change in order, by whom, and what it changed. Folded from the log of
 * a run; what a page of the log adds is put behind what is known. Pure.
 */

import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { expectedEffect } from '@crewagent/protocol/tool-effects';

export interface StateChange {
  readonly seq: number;
  readonly ts: string;
  /** `outside`: behind the runtime's back. */
  readonly by: 'model' | 'person' | 'rewind' | 'outside';
  readonly from: string;
  readonly to: string;
  readonly label: string | undefined;
  /** How many values were set or taken away. */
  readonly values: number;
  readonly notes: readonly string[];
  /** Logs of earlier versions have none. */
  readonly diff: string | undefined;
}

export interface StateHistory {
  readonly seq: number;
  readonly changes: readonly StateChange[];
  /** A call of the model's that may write the state is under way. */
  readonly isModelWriting: boolean;
}

export const NO_HISTORY: StateHistory = { seq: 0, changes: [], isModelWriting: false };

export function foldStateHistory(history: StateHistory, events: readonly RunEvent[]): StateHistory {
  const changes = [...history.changes];
  let { seq, isModelWriting } = history;
  for (const event of events) {
    if (event.seq <= seq) continue;
    seq = event.seq;
    if (event.type === 'tool.started') isModelWriting = isStateWrite(event);
    if (event.type === 'tool.ended') isModelWriting = false;
    if (event.type === 'state.changed') changes.push(toChange(event, isModelWriting));
  }
  return { seq, changes, isModelWriting };
}

/** A person may change it while a question of the model's is open. */
function isStateWrite({ name, path }: EventOf<'tool.started'>): boolean {
  return expectedEffect(name, path).kind === 'state';
}

function toChange(event: EventOf<'state.changed'>, isModelWriting: boolean): StateChange {
  const { seq, ts, from, to, label, notes, diff, variables, unset = [] } = event;
  const by = event.isRewind ? 'rewind' : event.isWhole ? 'outside' : isModelWriting ? 'model' : 'person';
  return { seq, ts, by, from, to, label, values: Object.keys(variables).length + unset.length, notes, diff };
}
