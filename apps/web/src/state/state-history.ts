/**
 * The history of the state document: every change in order, with its author and diff. Folded from the run's log; later pages
 * of the log are appended. Pure.
 */

import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { expectedEffect } from '@crewagent/protocol/tool-effects';

export interface StateChange {
  readonly seq: number;
  readonly ts: string;
  /** `outside`: edited without the runtime. */
  readonly by: 'model' | 'person' | 'rewind' | 'outside';
  readonly from: string;
  readonly to: string;
  readonly label: string | undefined;
  /** Number of variables that were set or removed. */
  readonly values: number;
  readonly notes: readonly string[];
  /** Missing in logs of earlier versions. */
  readonly diff: string | undefined;
}

export interface StateHistory {
  readonly seq: number;
  readonly changes: readonly StateChange[];
  /** A tool call that may write the state is in progress. */
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

/** Other calls do not count: a person may change the state while a question of the model is open. */
function isStateWrite({ name, path }: EventOf<'tool.started'>): boolean {
  return expectedEffect(name, path).kind === 'state';
}

function toChange(event: EventOf<'state.changed'>, isModelWriting: boolean): StateChange {
  const { seq, ts, from, to, label, notes, diff, variables, unset = [] } = event;
  const by = event.isRewind ? 'rewind' : event.isWhole ? 'outside' : isModelWriting ? 'model' : 'person';
  return { seq, ts, by, from, to, label, values: Object.keys(variables).length + unset.length, notes, diff };
}
