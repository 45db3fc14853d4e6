/**
 * What an engine needs to call a sub-workflow: the call stack in the root's state document, a way to open the run that
 * follows the called workflow, and what the runs above have used up.
 */
import type { Answers } from '@crewagent/protocol/answers';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import type { RunEvent } from '@crewagent/protocol/events';
import type { CallStackEntry } from '@crewagent/protocol/workflow';
import type { PendingCall, RunMemory } from './run-memory.ts';
import type { StopPoint } from './stop-point.ts';

export interface CallSources {
  /** Of a run that was called itself. */
  readonly caller?: CallLink | undefined;
  newId(): string;
  /** Whether the run of a call was made already. */
  has(childId: string): Promise<boolean>;
  /** Opens the run of a call; one that does not exist is made first. */
  open(call: CallRequest, link: CallLink): Promise<CalledRun>;
}

/** What a run passes down to the one that it calls. */
export interface CallLink {
  readonly rootId: string;
  /** How many calls are above the called run, its own included. */
  readonly depth: number;
  /** Refs of the workflows that are under way, from the root down, and the nodes that they are at. */
  readonly path: readonly string[];
  readonly nodes: readonly string[];
  readonly stack: CallStack;
  spent(): Spending;
}

/** Of the root's state document: the one truth about calls that are under way. */
export interface CallStack {
  read(): Promise<readonly CallStackEntry[]>;
  write(callStack: readonly CallStackEntry[]): Promise<void>;
}

/** Since the root was last started or resumed. */
export interface Spending {
  readonly tokens: number;
  readonly costUsd: number;
  readonly turns: number;
  /** Of the turn that is under way. */
  readonly elapsedMs: number;
}

export interface CallRequest {
  readonly childId: string;
  readonly nodeId: string;
  readonly workflow: string;
  /** In charge where a node of the called workflow names nobody. */
  readonly agentId: string;
  readonly context: CallContext;
}

/** A copy: what the called workflow does to it does not come back. */
export interface CallContext {
  readonly inputDocuments: readonly string[];
  readonly artifacts: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface CalledRun {
  readonly childId: string;
  readonly workflow: { readonly ref: string; readonly title: string };
  readonly engine: CalledEngine;
  /** What its log held when it was made a moment ago. */
  readonly firstEvents: readonly RunEvent[];
  close(): Promise<void>;
}

/** An engine as its caller uses it. */
export interface CalledEngine {
  readonly memory: RunMemory;
  readonly isRunning: boolean;
  /** What it, or a run that it called, waits for a person to say. */
  readonly pending: PendingCall | undefined;
  subscribe(listener: (event: RunEvent) => void): () => void;
  start(): Promise<StopPoint>;
  resume(): Promise<StopPoint>;
  say(text: string): Promise<StopPoint>;
  withdraw(inputSeq: number): void;
  continueRun(): Promise<StopPoint>;
  answer(answers: Answers): Promise<StopPoint>;
  approve(response: ApprovalResponse): Promise<StopPoint>;
  stop(): Promise<StopPoint>;
  saveInput(): Promise<void>;
  /** The run that it called itself, while that is open. */
  readonly calledId: string | undefined;
  /** Leaves the node of the innermost call without the called workflow, or that of the call at `nodeId`. */
  leaveCall(way: WayPast): Promise<void>;
  /** Takes over where a called run rests now, after somebody changed it. */
  followCall(): Promise<void>;
}

/** How a run continues without the workflow that it called. */
export interface WayPast {
  /** Along the edge to this node; along the only one if left out. */
  readonly to?: string | undefined;
  /** The node of the call; the innermost one if left out. */
  readonly nodeId?: string | undefined;
}
