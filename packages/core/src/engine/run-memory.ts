/**
 * The engine's state of a run or a thread. `remember` folds it from events, so that a reopened run has the same state as one that
 * never stopped.
 */
import { covers, type StandingConsent } from '@crewagent/protocol/approvals';
import type { QueuedInput, RequestFrame } from '@crewagent/protocol/event-messages';
import type { EventOf } from '@crewagent/protocol/events';
import type { Usage } from '@crewagent/protocol/model';
import { NO_USAGE } from '@crewagent/protocol/model';
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import { EMPTY_RUN_STATE, type RunState } from '@crewagent/protocol/run-state';
import type { DescribedAction, FollowingChange } from '@crewagent/protocol/tools';
import { createVisitFacts } from '@crewagent/protocol/visit-facts';
import { History } from '../prompt/history.ts';
import type { HookMessage, MovedFile } from '../prompt/runtime-notes.ts';
import type { Consent } from './consent.ts';
import { type CallLoop, NO_LOOP } from './loop-detector.ts';

export class RunMemory {
  readonly history = new History();
  state: RunState = EMPTY_RUN_STATE;
  phase: RunPhase = 'WaitingUser';
  reason: PhaseReason | undefined;
  /** Number of the last turn. */
  turn = 0;
  /** Turns of called runs that have ended. */
  calledTurns = 0;
  /** Turns since the last progress: a new node, a message of the person, a resume. */
  turnsWithoutProgress = 0;
  /** Calls without effect. */
  loop: CallLoop = NO_LOOP;
  /** How many slips of a small model it has made. */
  slips = 0;
  /** Name of the model that the run was created with; undefined in a thread. */
  model: string | undefined;
  /** Of the package that the log says the run has; undefined in a thread. */
  packageHash: string | undefined;
  usage: Usage = NO_USAGE;
  /** Usage when the run was last started or resumed. */
  usageBefore: Usage = NO_USAGE;
  /** At first an estimate, then measured from the token counts of the provider. */
  bytesPerToken = 3.6;
  requestBytes = 0;
  /** By id: frames of requests that are in the log. */
  readonly frames = new Map<string, RequestFrame>();
  /** Messages and menu choices that the model has not received yet, in order. */
  readonly inputs: RememberedInput[] = [];
  /** Consent to one change of the state of a complete workflow. */
  consent: Consent = 'none';
  /** The transition that was rejected because of missing outputs; a second attempt is accepted. */
  refusedTransition: { readonly from: string; readonly to: string } | undefined;
  /** The current visit of a node. */
  readonly visit = createVisitFacts();
  /** By path: files changed by undo or redo since the model was last informed. */
  readonly movedFiles = new Map<string, MovedFile>();
  /** By text: what hooks said outside of calls since the model was last informed. */
  readonly hookMessages = new Map<string, HookMessage>();
  /** Artifacts that undos took out of the state. */
  readonly undoneArtifacts = new Set<string>();
  /** Streamed text of an incomplete reply. */
  partialReply = '';
  /** A call that waits for a person, and their response. */
  pending: PendingCall | undefined;
  /** By call: decisions on changes that the reply makes later, with what was shown. */
  readonly decidedAhead = new Map<string, DecidedChange>();
  /** An approved change that was being made when the process ended. */
  interrupted: { readonly tool: string; readonly action: DescribedAction } | undefined;
  readonly startedCalls = new Set<string>();
  /** The call that the disk refused: it is made again when the run continues. */
  retriedCall: string | undefined;
  grants: readonly Grant[] = [];
  /** The script that is followed in a thread. */
  scriptPath: string | undefined;
  /** Title of the workflow of the last run that was entered. */
  enteredRun = '';
  /** The sub-workflow called by the current node. */
  call: RememberedCall | undefined;
  /** Ids of all calls: a provider may use one twice. */
  readonly callIds = new Set<string>();
  /** A long wait requested by a provider: until when, and by which one. */
  wait: { readonly untilMs: number; readonly origin: string } | undefined;
}

/** `ended`: the called workflow is complete; `returned`: its results are in the state document as well. */
export interface RememberedCall extends Pick<EventOf<'call.started'>, 'nodeId' | 'childId' | 'workflow'> {
  readonly phase: 'open' | 'ended' | 'returned';
  readonly result?: Pick<EventOf<'call.ended'>, 'outcome' | 'artifacts' | 'returned'>;
}

interface RememberedInput extends QueuedInput {
  /** Number of the event that queued it. */
  readonly seq?: number;
}

export type PendingCall =
  | (Pick<EventOf<'question.asked'>, 'callId' | 'questions'> & {
      readonly kind: 'question';
      answers: Readonly<Record<string, unknown>> | undefined;
    })
  | (Pick<EventOf<'approval.requested'>, 'callId' | 'tool' | 'runsLater' | 'isHeld' | 'following'> & {
      readonly kind: 'approval';
      readonly action: DescribedAction;
      resolved: Resolution | undefined;
    });

type Resolution = Pick<EventOf<'approval.resolved'>, 'decision' | 'note' | 'speaker'>;

export interface DecidedChange extends FollowingChange {
  readonly resolved: Resolution;
}

/** Whether the call still waits for the person. */
export function isUnanswered(pending: PendingCall | undefined): pending is PendingCall {
  if (!pending) return false;
  return pending.kind === 'question' ? pending.answers === undefined : pending.resolved === undefined;
}

/** An approval for the whole run, or for one node; outside of nodes, until the next message. */
interface Grant extends StandingConsent {
  readonly scope: 'run' | 'node';
  readonly nodeId: string | undefined;
}

export function isGranted({ grants, history }: RunMemory, tool: string, path: string): boolean {
  return grants.some(
    (grant) => covers(grant, tool, path) && (grant.scope === 'run' || grant.nodeId === history.nodeId),
  );
}
