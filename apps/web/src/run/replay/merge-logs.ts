/** The logs of a Work as one sequence: its own, those of its runs and of the runs they called. Pure. */
import type { RunEvent } from '@crewagent/protocol/events';
import { FROM_START } from '../../navigation/moment.ts';

/** By time; events of one log stay in their order, also if the clock of the machine was set back meanwhile. */
export function mergeLogs(logs: readonly (readonly RunEvent[])[]): readonly RunEvent[] {
  const [only, ...others] = logs;
  if (others.length === 0) return only ?? [];
  const heads = logs.map(() => 0);
  const merged: RunEvent[] = [];
  while (true) {
    let first = -1;
    for (const [at, log] of logs.entries()) {
      const event = log[heads[at] ?? 0];
      const earliest = logs[first]?.[heads[first] ?? 0];
      if (event && (!earliest || event.ts < earliest.ts)) first = at;
    }
    const event = logs[first]?.[heads[first] ?? 0];
    if (!event) return merged;
    merged.push(event);
    heads[first] = (heads[first] ?? 0) + 1;
  }
}

/** The log that an event leads to: of a run that was entered or called. */
export function logBehind(event: RunEvent): string | undefined {
  if (event.type === 'run.entered') return event.enteredRunId;
  return event.type === 'call.started' ? event.childId : undefined;
}

/** Someone decided: a person who answered, approved or waived, or the run that took an edge. */
export function isDecision(event: RunEvent): boolean {
  switch (event.type) {
    case 'question.answered':
    case 'approval.resolved':
    case 'check.waived':
      return true;
    case 'state.changed':
      return event.from !== event.to || event.isRewind === true;
    default:
      return false;
  }
}

/** Position of the event that a moment names; of the last event before it where the log does not have it. */
export function findMoment(events: readonly RunEvent[], workId: string, moment: string): number {
  if (moment === FROM_START) return 0;
  const [, named, number = ''] = /^(?:(.*):)?(\d+)$/.exec(moment) ?? [];
  const runId = named ?? workId;
  const seq = Number(number);
  const last = events.findLastIndex((event) => event.runId === runId && event.seq <= seq);
  return number === '' ? events.length - 1 : Math.max(0, last);
}
