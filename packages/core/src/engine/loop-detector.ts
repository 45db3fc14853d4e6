/**
 * Detects a model that repeats calls without effect: one call, or a cycle of calls, with failing or unchanged results. A fold
 * over the events of a run, so that a reopened run counts like one that never stopped. Pure.
 */
import type { LoggedToolCall } from '@crewagent/protocol/event-messages';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { hasEffect } from '@crewagent/protocol/tool-effects';

export interface CallLoop {
  /** The last calls without effect, oldest first. A call that a reply contains several times counts once. */
  readonly calls: readonly IdleCall[];
  /** The calls of the last reply. */
  readonly reply: readonly LoggedToolCall[];
  /** The model was told that it repeats itself. */
  readonly wasNudged: boolean;
}

interface IdleCall extends Pick<LoggedToolCall, 'name' | 'arguments'> {
  /** Undefined if the call failed: an error message may differ from one time to the next. */
  readonly result: string | undefined;
  readonly reply: readonly LoggedToolCall[];
}

export type LoopVerdict = 'fine' | 'nudge' | 'stop';

const ROUNDS = 3;
export const MAX_CYCLE = 32;

export const NO_LOOP: CallLoop = { calls: [], reply: [], wasNudged: false };

export function foldLoop(loop: CallLoop, event: RunEvent): CallLoop {
  switch (event.type) {
    case 'tool.ended':
      return hasEffect(event) ? restart(loop) : addCall(loop, event);
    case 'message.completed':
      if (event.purpose === 'reply') return { ...loop, reply: event.toolCalls ?? [] };
      if (event.purpose !== 'nudge') return restart(loop);
      return isRepeating(loop.calls) ? { ...loop, wasNudged: true } : loop;
    case 'context.compacted':
      // Results that the model no longer has are read again.
      return event.outcome === 'effective' ? restart(loop) : loop;
    case 'run.resumed':
    case 'state.changed':
    case 'files.found':
    case 'question.answered':
    case 'approval.resolved':
    case 'changes.undone':
    case 'context.reset':
    case 'call.ended':
      return restart(loop);
    default:
      return loop;
  }
}

/** What to do after a reply whose calls have all ended. */
export function loopVerdict({ calls, wasNudged }: CallLoop): LoopVerdict {
  if (!isRepeating(calls)) return 'fine';
  return wasNudged ? 'stop' : 'nudge';
}

function restart({ reply }: CallLoop): CallLoop {
  return { ...NO_LOOP, reply };
}

function addCall(loop: CallLoop, { callId, name, outcome, content }: EventOf<'tool.ended'>): CallLoop {
  const { calls, reply } = loop;
  const args = reply.find(({ id }) => id === callId)?.arguments ?? '';
  const call = { name, arguments: args, result: outcome === 'ok' ? content : undefined, reply };
  if (calls.some((other) => other.reply === reply && isSame(other, call))) return loop;
  return { ...loop, calls: [...calls, call].slice(-ROUNDS * MAX_CYCLE) };
}

/** Whether the last calls are the same cycle, three times. */
function isRepeating(calls: readonly IdleCall[]): boolean {
  for (let length = 1; length <= MAX_CYCLE && length * ROUNDS <= calls.length; length++) {
    const repeated = calls.slice(-length * (ROUNDS - 1));
    const before = calls.slice(-length * ROUNDS);
    if (repeated.every((call, index) => isSame(call, before[index]))) return true;
  }
  return false;
}

function isSame(a: IdleCall, b: IdleCall | undefined): boolean {
  return a.name === b?.name && a.arguments === b.arguments && a.result === b.result;
}
