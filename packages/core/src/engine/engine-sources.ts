/**
 * What an engine is given to run one run or one talk: its workflow and agents, its files, its log and journal, its model.
 * Plain data and small objects; who made them is not the engine's business.
 */

import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { StandingConsent } from '@crewagent/protocol/approvals';
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { RunPhase, RunRecord } from '@crewagent/protocol/run';
import type { NodeType, WorkflowGraph } from '@crewagent/protocol/workflow';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { IsSecret } from '../mounts/secret-files.ts';
import type { Background, WorkflowFile } from '../prompt/background.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { CallSources } from './called-run.ts';
import type { PhaseReason } from './stop-point.ts';

/** What counts of a record while a run or a talk is driven. */
export interface EngineRecord
  extends Pick<RunRecord, 'activeAgentId' | 'model' | 'tools' | 'context' | 'limits'> {
  /** The id that its events bear. */
  readonly runId: string;
}

export interface EngineSources {
  /** A chat has no active agent: an empty id. */
  readonly record: EngineRecord;
  /** A talk has none: no nodes, no state document, never complete. */
  readonly plan: WorkflowPlan | undefined;
  readonly agents: readonly AgentDefinition[];
  readonly background: Background;
  /** What the workflow is for, in its author's words. */
  readonly workflow: WorkflowFile | undefined;
  /** How the run calls sub-workflows; without it nodes that call one are ordinary steps. */
  readonly calls?: CallSources | undefined;
  /** What the person can choose from in a talk with an agent. */
  readonly menu?: readonly MenuEntry[] | undefined;
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  /** Tools besides the built-in ones. */
  readonly tools?: readonly ToolSource[] | undefined;
  /** Told what is emitted from the first moment on. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Opens the run's log, telling first what is in it. */
  openLog(onEvent: (event: RunEvent) => void): Promise<EventLog>;
  readonly journal: ChangeJournal;
  readonly adapter: LLMAdapter;
  readonly approvals: StandingApprovals;
  readonly clock: EngineClock;
  /** Keeps the record in step with the phase. */
  savePhase(phase: RunPhase, reason: PhaseReason | undefined): Promise<void>;
  /** A fault of ours, with the id people were told. */
  onBug(id: string, error: unknown): void;
}

export interface WorkflowPlan {
  readonly ref: string;
  readonly workflowPath: string;
  readonly graphPath: string;
  readonly graph: WorkflowGraph;
  readonly nodes: ReadonlyMap<string, PlannedNode>;
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
}

export interface EventLog {
  /** Stored when this returns. */
  append(fact: RunFact): RunEvent;
  /** For what is sent and not stored. */
  stamp(fact: RunFact): RunEvent;
  /** Safe from a power loss when this resolves. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface ChangeJournal {
  begin(change: {
    callId: string;
    nodeId: string | undefined;
    path: string;
    before: Buffer | undefined;
    after: Buffer | undefined;
    mode: number | undefined;
  }): Promise<{ readonly tempName: string; done(): Promise<void>; abandon(): Promise<void> }>;
}

/** What a person allowed for good in this project. */
export interface StandingApprovals {
  has(tool: string, path: string): Promise<boolean>;
  add(consent: StandingConsent): Promise<void>;
}

export interface EngineClock {
  now(): Date;
  /** Never goes back, in milliseconds. */
  monotonicMs(): number;
}
