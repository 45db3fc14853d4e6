/**
 * Interface between an engine and the sub-workflows it calls: the call stack in the root's state document, access to the
 * called run, and the spending of the runs above it.
 */

import type { Answers } from '@crewagent/protocol/answers';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import type { RunEvent } from '@crewagent/protocol/events';
import type { Speaker, WaiveRequest } from '@crewagent/protocol/proof';
import type { CallStackEntry } from '@crewagent/protocol/workflow';
import type { WorkflowState } from '../../workflow/workflow-state.ts';
import type { PendingCall, RunMemory } from '../run-memory.ts';
import type { StopPoint } from '../stop-point.ts';

export interface CallSources {
  /** Set if this run was called itself. */
  readonly caller?: CallLink | undefined;
  newId(): string;
  /** Whether the run of a call exists. */
  has(childId: string): Promise<boolean>;
  /** Opens the run of a call; creates it if it does not exist. */
  open(call: CallRequest, link: CallLink): Promise<CalledRun>;
}

/** Data that a run passes to the run it calls. */
export interface CallLink {
  readonly rootId: string;
  /** Number of calls above the called run, including its own. */
  readonly depth: number;
  /** Refs of the running workflows, from the root down, and their current nodes. */
  readonly path: readonly string[];
  readonly nodes: readonly string[];
  readonly stack: CallStack;
  spent(): Spending;
}

/** The call stack of the root's state document: the source of truth about open calls. */
export interface CallStack {
  read(): Promise<readonly CallStackEntry[]>;
  write(callStack: readonly CallStackEntry[]): Promise<void>;
}

/** Since the root was last started or resumed. */
export interface Spending {
  readonly tokens: number;
  readonly costUsd: number;
  /** Duration of the current turn. */
  readonly elapsedMs: number;
  /** Since the run was started, whether or not it was resumed. */
  readonly totalTokens: number;
  readonly totalCostUsd: number;
}

export interface CallRequest {
  readonly childId: string;
  readonly nodeId: string;
  readonly workflow: string;
  /** Used at nodes of the called workflow without an agent. */
  readonly agentId: string;
  readonly context: CallContext;
}

/** A copy: changes by the called workflow are not written back. */
export type CallContext = Pick<WorkflowState, 'inputDocuments' | 'artifacts' | 'variables'>;

export interface CalledRun {
  readonly childId: string;
  readonly workflow: { readonly ref: string; readonly title: string };
  readonly engine: CalledEngine;
  /** Events in its log if it was just created. */
  readonly firstEvents: readonly RunEvent[];
  close(): Promise<void>;
}

/** The part of an engine that its caller uses. */
export interface CalledEngine {
  /** State of the run; read-only. */
  readonly memory: RunMemory;
  readonly isRunning: boolean;
  /** The call of this run, or of a run that it called, that waits for a person. */
  readonly pending: PendingCall | undefined;
  subscribe(listener: (event: RunEvent) => void): () => void;
  /** These resolve when the run stops. A command that is not possible now throws immediately (RUN_NOT_READY). */
  start(): Promise<StopPoint>;
  resume(): Promise<StopPoint>;
  /** Continues with queued or interrupted work, without a message. */
  continueRun(): Promise<StopPoint>;
  /** A message of the person. While the run is running, it is queued for the next turn. */
  say(text: string, speaker?: Speaker): Promise<StopPoint>;
  answer(answers: Answers, speaker?: Speaker): Promise<StopPoint>;
  approve(response: ApprovalResponse): Promise<StopPoint>;
  /** Withdraws the message that was queued with this event; rejected after it was sent to the model. */
  withdraw(inputSeq: number): void;
  /** Lets the run leave the current node although checks are not met; `resume` then continues it. */
  waive(request: WaiveRequest): Promise<void>;
  /** Stops the current pass within a second. */
  stop(): Promise<StopPoint>;
  /** Skips the question of this call and stops, without a turn; stops the turn in progress if it was answered meanwhile. */
  stopQuestion(callId: string): Promise<StopPoint>;
  /** When this resolves, input of the person survives a power loss; await it before reporting the input as accepted. */
  saveInput(): Promise<void>;
  /** The run that it called itself, while that one is open. */
  readonly calledId: string | undefined;
  /** Leaves the node of the innermost call without the called workflow, or that of the call at `nodeId`. */
  leaveCall(skipped: SkippedCall): Promise<void>;
  /** Takes over the stop of the called run after that was changed. */
  followCall(): Promise<void>;
}

/** How a run continues without the workflow that it called. */
export interface SkippedCall {
  /** Target of the edge to follow; by default the only one. */
  readonly to?: string | undefined;
  /** The node of the call; by default the innermost one. */
  readonly nodeId?: string | undefined;
}
