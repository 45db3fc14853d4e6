/**
 * The interface of an open Work and of an open conversation (`Session`). Input is routed to its recipient; every fact
 * is recorded in the log of the conversation or of the run it concerns.
 */
import type { Answers } from '@crewagent/protocol/answers';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import type { MenuEntry, TargetSurface } from '@crewagent/protocol/commands';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { SessionMode } from '@crewagent/protocol/conversation-state';
import type { ErrorCode } from '@crewagent/protocol/errors';
import type { RunEvent } from '@crewagent/protocol/events';
import type { JournalEntry } from '@crewagent/protocol/journal';
import type { Speaker, WaiveRequest } from '@crewagent/protocol/proof';
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import type { WorkStory } from '@crewagent/protocol/story/work-story';
import type { DescribedAction, FollowingChange, Question, RunsLater } from '@crewagent/protocol/tools';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { SkippedCall } from '../engine/calls/called-run.ts';
import type { ModelChoice } from './models/choose-model.ts';

/** State of a conversation after a command. */
export interface SessionStop {
  readonly mode: SessionMode;
  /** Phase of the active run, or of the thread. */
  readonly phase: RunPhase;
  readonly reason?: PhaseReason | undefined;
  /** Why the input was rejected. Rejected input changes nothing and can be sent again. */
  readonly refusal?: { readonly code: ErrorCode; readonly message: string } | undefined;
}

/** For callers that do not wait until the turn has ended. */
export interface AcceptOptions {
  /**
   * Called when the command is accepted, with the new mode, and `Running` if a turn has begun. Not called if the
   * command throws.
   */
  readonly onAccepted?: ((accepted: SessionStop) => void) | undefined;
}

export interface InputOptions extends AcceptOptions {
  /** Surface on which the person typed; menu numbers refer to it. */
  readonly surface?: TargetSurface | undefined;
  /** Who speaks for the person, who is not there. */
  readonly speaker?: Speaker | undefined;
}

export interface ReplyOptions extends AcceptOptions {
  /** The call that is answered; rejected if another one is pending by now. */
  readonly callId?: string | undefined;
  /** Who speaks for the person, who is not there. */
  readonly speaker?: Speaker | undefined;
}

export interface ResumeOptions extends AcceptOptions {
  /** A run of the project for the conversation to enter; by default the active run, script or thread is resumed. */
  readonly runId?: string | undefined;
}

export interface AgentChoice {
  /** A `.bmad` file, a package folder, or an installed id; by default the package of the current agent. */
  readonly package?: string | undefined;
  /** By default the first agent with a menu. */
  readonly agent?: string | undefined;
}

export interface WorkflowChoice extends AgentChoice {
  readonly workflow?: string | undefined;
  /** Sent to the model with the first turn. */
  readonly input?: string | undefined;
  /** Paths of project files that the run gets as input documents. */
  readonly documents?: readonly string[] | undefined;
}

/** A question or an approval that a Work waits for. */
export type Pending =
  | { readonly kind: 'question'; readonly callId: string; readonly questions: readonly Question[] }
  | {
      readonly kind: 'approval';
      readonly callId: string;
      readonly tool: string;
      readonly action: DescribedAction;
      readonly runsLater?: RunsLater | undefined;
      readonly following?: readonly FollowingChange[] | undefined;
    };

/** A Work that is open in this process: a conversation, or a run without one. */
export interface OpenWork {
  readonly record: WorkRecord;
  /** Whether a turn is running. */
  readonly isRunning: boolean;
  /** The run that receives input: the Work itself, or the active run of a conversation. */
  readonly activeRunId: string | undefined;
  /** What the recipient of input, or a sub-workflow that it called, waits for; undefined once it is answered. */
  readonly pending: Pending | undefined;
  /** Current mode, phase and reason. */
  state(): SessionStop;
  /** File changes of the Work or its active run, by id; undefined if that Work is not open. */
  changes(id: string): readonly JournalEntry[] | undefined;
  /** Receives every event of the Work's log and of its runs. */
  subscribe(listener: (event: RunEvent) => void): () => void;
  /**
   * Text typed by a person. Resolves when the turn has ended. A command that the conversation cannot execute emits an
   * `error` event and changes nothing; only disk errors and bugs are thrown.
   */
  input(text: string, options?: InputOptions): Promise<SessionStop>;
  /** Removes a message that is queued for the next turn, by the `seq` of its event. */
  withdraw(inputSeq: number, options?: AcceptOptions): Promise<SessionStop>;
  answer(answers: Answers, options?: ReplyOptions): Promise<SessionStop>;
  approve(response: ApprovalResponse, options?: ReplyOptions): Promise<SessionStop>;
  /** Lets the run leave its current node although checks are not met. */
  waive(request: WaiveRequest, options?: AcceptOptions): Promise<SessionStop>;
  /** Continues without the called sub-workflow. */
  skipCall(skipped: SkippedCall, options?: AcceptOptions): Promise<SessionStop>;
  /** Stops the running turn within a second. The mode does not change. */
  stop(): Promise<SessionStop>;
  /**
   * Skips the question of this call and stops: no turn begins. If it was answered meanwhile, stops the turn in progress.
   */
  stopQuestion(callId: string, options?: AcceptOptions): Promise<SessionStop>;
  /** Continues the run or the thread without new input. */
  resume(options?: ResumeOptions): Promise<SessionStop>;
  /** Stops the running turn and releases everything. */
  close(): Promise<void>;
}

export interface Session extends OpenWork {
  readonly record: ConversationRecord;
  readonly projectPath: string;
  /** Always up to date; read-only. */
  readonly view: WorkStory;
  readonly mode: SessionMode;
  /** Entries of the agent's menu for a surface, by default the surface of the session; empty without an agent. */
  menu(surface?: TargetSurface): readonly MenuEntry[];
  /** Switches to this agent. An active run is left and can be resumed. */
  enterAgent(choice: AgentChoice): Promise<SessionStop>;
  dismissAgent(): Promise<SessionStop>;
  /** Starts a run of this workflow and enters it. */
  startWorkflow(choice: WorkflowChoice, options?: AcceptOptions): Promise<SessionStop>;
  /** Sets the model for all further turns. */
  setModel(choice: ModelChoice): Promise<void>;
}
