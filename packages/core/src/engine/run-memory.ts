/**
 * What the engine remembers of a run: a fold over its events, so that a run that was just opened knows what one that never
 * stopped would know.
 */
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import type { Usage } from '@crewagent/protocol/model';
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import { EMPTY_RUN_STATE, foldRunState, type RunState } from '@crewagent/protocol/run-state';
import { addToHistory, createHistory, type History, type HistoryOptions } from '../prompt/history.ts';

export interface RunMemory {
  readonly history: History;
  state: RunState;
  phase: RunPhase;
  reason: PhaseReason | undefined;
  /** Number of the last turn. */
  turn: number;
  /** Turns since the run last got somewhere: a new node, a word of the person, a resume. */
  turnsHere: number;
  usage: Usage;
  /** What was used up when the run was last started or resumed. */
  usageBefore: Usage;
  /** Measured from what the provider counted. */
  bytesPerToken: number;
  requestBytes: number;
  /** What the person said and the model was not yet told, in order. */
  readonly inputs: string[];
  /** A call that waits for a person, and what they said. */
  pending: PendingCall | undefined;
  readonly startedCalls: Set<string>;
  readonly grants: Grant[];
  /** Ids of all calls: a provider may use one twice. */
  readonly callIds: Set<string>;
}

export type PendingCall =
  | (Pick<EventOf<'question.asked'>, 'callId' | 'questions'> & {
      readonly kind: 'question';
      answers: Readonly<Record<string, unknown>> | undefined;
    })
  | (Pick<EventOf<'approval.requested'>, 'callId' | 'tool' | 'path' | 'diff'> & {
      readonly kind: 'approval';
      resolved: Pick<EventOf<'approval.resolved'>, 'decision' | 'note'> | undefined;
    });

/** Whether a call still waits for a person's word. */
export function isUnanswered(pending: PendingCall | undefined): pending is PendingCall {
  if (!pending) return false;
  return pending.kind === 'question' ? pending.answers === undefined : pending.resolved === undefined;
}

/** Standing consent to what one tool does; in one node, or in the whole run. */
interface Grant {
  readonly tool: string;
  readonly nodeId: string | undefined;
}

const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 };
const FIRST_GUESS_BYTES_PER_TOKEN = 3.6;

export function createMemory(): RunMemory {
  return {
    history: createHistory(),
    state: EMPTY_RUN_STATE,
    phase: 'WaitingUser',
    reason: undefined,
    turn: 0,
    turnsHere: 0,
    usage: NO_USAGE,
    usageBefore: NO_USAGE,
    bytesPerToken: FIRST_GUESS_BYTES_PER_TOKEN,
    requestBytes: 0,
    inputs: [],
    pending: undefined,
    startedCalls: new Set(),
    grants: [],
    callIds: new Set(),
  };
}

export function remember(memory: RunMemory, event: RunEvent, options: HistoryOptions): void {
  const nodeBefore = memory.history.nodeId;
  addToHistory(memory.history, event, options);
  memory.state = foldRunState(memory.state, event);
  if (memory.history.nodeId !== nodeBefore) memory.turnsHere = 0;
  switch (event.type) {
    case 'run.resumed':
      memory.turnsHere = 0;
      memory.usageBefore = memory.usage;
      return;
    case 'phase.changed':
      memory.phase = event.phase;
      memory.reason = event.reason;
      return;
    case 'turn.started':
      memory.turn = event.turn;
      memory.turnsHere++;
      memory.requestBytes = event.requestBytes;
      return;
    case 'message.completed':
      if (event.purpose === 'input') {
        memory.turnsHere = 0;
        memory.inputs.shift();
      }
      for (const { id } of event.toolCalls ?? []) memory.callIds.add(id);
      return;
    case 'input.queued':
      memory.inputs.push(event.content);
      return;
    case 'tool.started':
      memory.startedCalls.add(event.callId);
      return;
    case 'tool.ended':
      memory.startedCalls.delete(event.callId);
      if (memory.pending?.callId === event.callId) memory.pending = undefined;
      return;
    case 'context.reset':
      memory.pending = undefined;
      return;
    case 'usage.updated':
      memory.usage = event.total;
      if (!event.usage.isEstimated) learnTokenSize(memory, event.usage);
      return;
    default:
      rememberPerson(memory, event);
  }
}

/** What a person was asked, and what they said. */
function rememberPerson(memory: RunMemory, event: RunEvent): void {
  const { pending } = memory;
  switch (event.type) {
    case 'question.asked':
      memory.pending = {
        kind: 'question',
        callId: event.callId,
        questions: event.questions,
        answers: undefined,
      };
      return;
    case 'question.answered':
      if (pending?.kind === 'question') pending.answers = event.answers;
      memory.turnsHere = 0;
      return;
    case 'approval.requested': {
      const { callId, tool, path, diff } = event;
      memory.pending = { kind: 'approval', callId, tool, path, diff, resolved: undefined };
      return;
    }
    case 'approval.resolved': {
      const { decision, note, tool } = event;
      if (pending?.kind === 'approval')
        pending.resolved = { decision, ...(note === undefined ? {} : { note }) };
      // From here on a start means that the change itself was begun.
      memory.startedCalls.delete(event.callId);
      if (decision === 'node') memory.grants.push({ tool, nodeId: memory.history.nodeId });
      if (decision === 'run') memory.grants.push({ tool, nodeId: undefined });
      memory.turnsHere = 0;
      return;
    }
    default:
      return;
  }
}

const PLAUSIBLE = { min: 1.5, max: 6 } as const;

function learnTokenSize(memory: RunMemory, { promptTokens }: Usage): void {
  if (promptTokens < 200) return;
  const measured = memory.requestBytes / promptTokens;
  memory.bytesPerToken = Math.min(PLAUSIBLE.max, Math.max(PLAUSIBLE.min, measured));
}
