/** Stop points: where a run stops, and why. Pure. */

import type { ReasonCode } from '@crewagent/protocol/reason-codes';
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import type { ModelError } from '../llm/llm-adapter.ts';
import type { Intent } from '../prompt/prompt-blocks.ts';

export type { PhaseReason } from '@crewagent/protocol/run';

export interface StopPoint {
  readonly phase: Exclude<RunPhase, 'Running'>;
  readonly reason?: PhaseReason;
}

/** After a reply without tool calls, the state document decides the phase. */
export function stopAfterReply(isComplete: boolean): StopPoint {
  return isComplete ? { phase: 'Completed' } : waiting('reply', 'The model waits for your answer.');
}

/** The model was reminded of its task, and still made no call and asked nothing. */
export const SAID_AND_STOPPED: StopPoint = waiting('reply', 'The model said something and stopped.', {
  isUnasked: true,
});

export function waiting(code: ReasonCode, message: string, details?: PhaseReason['details']): StopPoint {
  return { phase: 'WaitingUser', reason: { code, message, ...(details ? { details } : {}) } };
}

export function stopAfterFailure({ code, message, details }: ModelError): StopPoint {
  return waiting(code, message, details && { ...details });
}

export const STOPPED: StopPoint = waiting('stopped', 'The run was stopped; it can be resumed at any time.');

/** Why the loop of a run begins. */
export interface LoopStart {
  /** The reason for the first message to the model; undefined if a waiting call is answered. */
  readonly intent?: Intent | undefined;
  /** The stop of the called run, if it is already processing a command of a person. */
  readonly calledStop?: Promise<StopPoint> | undefined;
}
