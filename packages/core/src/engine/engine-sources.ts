/**
 * Inputs of an engine for one run or one thread: workflow and agents, files, log and journal, model. Plain data and small
 * objects.
 */

import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { StandingConsent } from '@crewagent/protocol/approvals';
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { EventOf, RunEvent, RunFact } from '@crewagent/protocol/events';
import type { NodeProof, VerifyCommand } from '@crewagent/protocol/proof';
import type { RunPhase, RunRecord } from '@crewagent/protocol/run';
import type { ApprovalPreset } from '@crewagent/protocol/tools';
import type { NodeType, StateUpdate, WorkflowGraph } from '@crewagent/protocol/workflow';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { IsSecret } from '../mounts/sensitive/secret-files.ts';
import type { VersionedText } from '../mounts/versioned-text.ts';
import type { Background, WorkflowFile } from '../prompt/background.ts';
import type { Journal } from '../store/journal.ts';
import type { RunLog } from '../store/work-store.ts';
import type { VerifyOutcome } from '../tools/proof/judge-node.ts';
import type { ApprovalRequest } from '../tools/tool-outcome.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { WorkflowState } from '../workflow/workflow-state.ts';
import type { CallSources } from './calls/called-run.ts';
import type { PhaseReason } from './stop-point.ts';

/** The fields of a record that the engine uses. */
export interface EngineRecord
  extends Pick<RunRecord, 'activeAgentId' | 'model' | 'tools' | 'context' | 'limits'> {
  /** The id in its events. */
  readonly runId: string;
}

export interface EngineSources {
  /** In a chat, `activeAgentId` is empty. */
  readonly record: EngineRecord;
  /** Undefined in a thread: no nodes, no state document, never complete. */
  readonly plan: WorkflowPlan | undefined;
  readonly agents: readonly AgentDefinition[];
  readonly background: Background;
  /** Description of the workflow by its author. */
  readonly workflow: WorkflowFile | undefined;
  /** How the run calls sub-workflows; without it, nodes with a target are ordinary steps. */
  readonly calls?: CallSources | undefined;
  /** In a rerun: which visits are taken over instead of being made. */
  readonly carryOver?: CarryOver | undefined;
  /** The menu in a thread with an agent. */
  readonly menu?: readonly MenuEntry[] | undefined;
  readonly files: MountedFs;
  /** The state document; does not exist in a thread. */
  readonly document: VersionedText;
  readonly isSecret: IsSecret;
  /** Tools besides the built-in ones. */
  readonly tools?: readonly ToolSource[] | undefined;
  /** Runs a command of `verify` that needs no shell; undefined for any other. */
  verifyHere?(command: VerifyCommand, signal: AbortSignal): Promise<VerifyOutcome | undefined>;
  /** Receives all emitted events, from the start. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Opens the log; reports its existing events first. */
  openLog(onEvent: (event: RunEvent) => void): Promise<EventLog>;
  readonly journal: Pick<Journal, 'begin' | 'beginAll' | 'list'>;
  readonly adapter: LLMAdapter;
  readonly approvals: StandingApprovals;
  /** The approval preset as it is now: a person may change it while a turn runs. Without it, that of the record holds. */
  readApproval?(): Promise<ApprovalPreset | undefined>;
  /** Without it, a person is always there. */
  readonly attendance?: Attendance | undefined;
  /** What may be spent, by this run and others. Without it, only the limits of the run hold. */
  readonly quota?: Quota | undefined;
  /** What the run may use in all, as a policy says: unlike a limit, a resume does not grant it again. */
  readonly cap?: Cap | undefined;
  readonly hooks?: WorkHooks | undefined;
  readonly clock: EngineClock;
  /** Updates the phase in the record. */
  savePhase(phase: RunPhase, reason: PhaseReason | undefined): Promise<void>;
  /** Reports a bug under an id that is also shown to the person. */
  onBug(id: string, error: unknown): void;
}

/** Knows the run that is made again. */
export interface CarryOver {
  /** Called with every event of the run, from the first one on. */
  observe(event: RunEvent): void;
  /** The visit of the other run that stands for the current one, if nothing that it depends on is different now. */
  find(state: WorkflowState): Promise<CarriedVisit | undefined>;
  /** The run that the other run called in that visit. */
  calledThen(): Promise<string | undefined>;
}

export interface CarriedVisit extends Pick<EventOf<'visit.carried'>, 'from' | 'outcome' | 'files'> {
  readonly update: StateUpdate;
  readonly label?: string | undefined;
  readonly carry?: string | undefined;
}

/** Whether a person is there while a run is driven. */
export interface Attendance {
  /** Whether somebody can answer a question of an MCP server now. */
  isAttended(): boolean;
  /** The run stops if a provider asks to wait for longer. Default: an hour. */
  readonly maxWaitMs?: number | undefined;
}

/** What people and projects may spend in a period, in all runs together. */
export interface Quota {
  /** Why the next turn must not start; undefined if it may. */
  findExceeded(runId: string): Promise<ExceededQuota | undefined>;
  /** Whether it limits money: a model without a known price cannot be held to that. */
  limitsCost(runId: string): Promise<boolean>;
}

/** What a person or a policy calls when something happens. It denies or says something; it changes nothing. */
export interface WorkHooks {
  readonly judgesApprovals: boolean;
  beforeLeave(from: string, to: string, signal: AbortSignal): Promise<HookVerdict>;
  beforeApproval(
    request: Pick<ApprovalRequest, 'name' | 'action'>,
    nodeId: string | undefined,
    signal: AbortSignal,
  ): Promise<HookVerdict>;
  /** Called with every event; `emit` takes what the hooks did later. */
  observe(event: RunEvent, emit: (fact: RunFact) => unknown): void;
  /** Waits, for a while, until they know all that happened. */
  close(): Promise<void>;
}

export interface HookVerdict {
  /** Why it must not happen. */
  readonly denial?: string | undefined;
  /** What the hooks did, to be emitted. */
  readonly facts: readonly RunFact[];
}

export interface Cap {
  readonly maxTokens?: number | undefined;
  readonly maxCostUsd?: number | undefined;
  /** Says that the limit with this name is reached. */
  toMessage(limit: 'maxTokens' | 'maxCostUsd'): string;
}

export interface ExceededQuota {
  readonly message: string;
  /** `until`: when the next period begins. */
  readonly details: Readonly<Record<string, unknown>> & { readonly until: string };
}

export interface WorkflowPlan {
  readonly ref: string;
  readonly workflowPath: string;
  readonly graphPath: string;
  readonly graph: WorkflowGraph;
  readonly nodes: ReadonlyMap<string, PlannedNode>;
  /** Names of the other workflows of the package. */
  readonly others?: readonly string[] | undefined;
  readonly writes?: readonly string[] | undefined;
  readonly rights?: 'declared' | undefined;
}

export interface PlannedNode {
  readonly id: string;
  readonly type: NodeType;
  readonly title: string;
  /** Path inside the package. */
  readonly file: string;
  readonly agentId: string | undefined;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Ref of the workflow that the node calls. */
  readonly subworkflow?: string | undefined;
  readonly passContext?: boolean | undefined;
  readonly returns?: readonly string[] | undefined;
  readonly needsRoster?: boolean | undefined;
  readonly setsVariables?: readonly string[] | undefined;
  readonly proof?: NodeProof | undefined;
  readonly rights?: 'declared' | undefined;
}

/** Approvals with the scope "always" in this project. */
export interface StandingApprovals {
  has(tool: string, path: string): Promise<boolean>;
  add(consent: StandingConsent): Promise<void>;
}

export interface EngineClock {
  now(): Date;
  /** Monotonic time in milliseconds. */
  monotonicMs(): number;
}

export type EventLog = Pick<RunLog, 'append' | 'stamp' | 'settle' | 'sync' | 'close'>;
