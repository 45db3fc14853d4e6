/**
 * A conversation that is open in this process: takes what a person types, finds out whom it is for, and has it done. Every
 * fact goes into the conversation's log, or into the log of the run it is about.
 */
import type { Answers } from '@crewagent/protocol/answers';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import type { MenuEntry, TargetSurface } from '@crewagent/protocol/commands';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { SessionMode } from '@crewagent/protocol/conversation-state';
import type { ErrorCode } from '@crewagent/protocol/errors';
import type { RunEvent } from '@crewagent/protocol/events';
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { WorkView } from '@crewagent/protocol/work-view';
import type { WayPast } from '../engine/called-run.ts';
import type { ModelChoice } from './choose-model.ts';

/** Where a conversation comes to rest after something was said. */
export interface SessionStop {
  readonly mode: SessionMode;
  /** Of the run one is in, or of the talk. */
  readonly phase: RunPhase;
  readonly reason?: PhaseReason | undefined;
  /** Why what was typed was not taken: it changed nothing, and can be said again. */
  readonly refusal?: { readonly code: ErrorCode; readonly message: string } | undefined;
}

/** For whoever does not wait until the conversation rests. */
export interface TakeOptions {
  /** Told when it is understood: whom one talks to now, and `Running` where a turn was begun. Not told of what is thrown. */
  readonly onAccepted?: ((taken: SessionStop) => void) | undefined;
}

export interface InputOptions extends TakeOptions {
  /** Where the person typed it: a number means what that screen shows. */
  readonly surface?: TargetSurface | undefined;
}

export interface ReplyOptions extends TakeOptions {
  /** The call it is for; refused where another one waits by now. */
  readonly callId?: string | undefined;
}

export interface ResumeOptions extends TakeOptions {
  /** A run of the project that a conversation enters; what it is in if left out. */
  readonly runId?: string | undefined;
}

export interface AgentChoice {
  /** A `.bmad` file, a package folder, or an installed id; the package of the agent that is there if left out. */
  readonly package?: string | undefined;
  /** The first agent with a menu, if left out. */
  readonly agent?: string | undefined;
}

export interface WorkflowChoice extends AgentChoice {
  readonly workflow?: string | undefined;
  /** Told to the model with the first turn. */
  readonly input?: string | undefined;
  /** Paths of files of the project that are handed to the run. */
  readonly documents?: readonly string[] | undefined;
}

/** A Work that is open in this process: a conversation, or a run by itself. */
export interface OpenWork {
  /** As it is now. */
  readonly record: WorkRecord;
  /** A turn is under way. */
  readonly isRunning: boolean;
  /** The run that what is said goes to: itself, or the one that a conversation is in. */
  readonly activeRunId: string | undefined;
  /** Where it is now, as its log tells. */
  rest(): SessionStop;
  /** What it, or the run it is in, changed in the project, by id; undefined for what is not open. */
  changes(id: string): readonly JournalEntry[] | undefined;
  /** Told every event of its log and of the runs it is in, as they happen. */
  subscribe(listener: (event: RunEvent) => void): () => void;
  /**
   * What a person typed. Resolves where it comes to rest. A command that a conversation cannot carry out is told in it (an
   * `error` event) and changes nothing; only faults of the disk and of ours are thrown.
   */
  input(text: string, options?: InputOptions): Promise<SessionStop>;
  /** Takes back a message that waits for the next turn, by the number of its event. */
  withdraw(inputSeq: number, options?: TakeOptions): Promise<SessionStop>;
  answer(answers: Answers, options?: ReplyOptions): Promise<SessionStop>;
  approve(response: ApprovalResponse, options?: ReplyOptions): Promise<SessionStop>;
  /** Continues without the sub-workflow that was called. */
  skipCall(way: WayPast, options?: TakeOptions): Promise<SessionStop>;
  /** Ends the turn that is under way, within a second. Whom one talks to stays the same. */
  stop(): Promise<SessionStop>;
  /** Lets the run, or the talk, go on without a word. */
  resume(options?: ResumeOptions): Promise<SessionStop>;
  /** Ends what is under way, and lets go of everything. */
  close(): Promise<void>;
}

/** A conversation that is open. */
export interface Session extends OpenWork {
  readonly record: ConversationRecord;
  /** The person's folder. */
  readonly projectPath: string;
  /** Kept up to date; to be looked at only. */
  readonly view: WorkView;
  readonly mode: SessionMode;
  /** What the agent's menu offers on a surface, its own if left out; empty where there is no agent. */
  menu(surface?: TargetSurface): readonly MenuEntry[];
  /** From here on a person talks to this agent. A run that is under way is left, and can be resumed. */
  enterAgent(choice: AgentChoice): Promise<SessionStop>;
  dismissAgent(): Promise<SessionStop>;
  /** Starts a run of this workflow and enters it. */
  startWorkflow(choice: WorkflowChoice, options?: TakeOptions): Promise<SessionStop>;
  /** The model that answers from now on. */
  setModel(choice: ModelChoice): Promise<void>;
}
