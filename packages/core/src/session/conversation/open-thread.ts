/**
 * Opens the thread of a conversation, with an agent of a package or without one. It is reopened when the person
 * switches to another agent.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { MenuEntry, TargetSurface } from '@crewagent/protocol/commands';
import type { ConversationRecord, EnteredAgent } from '@crewagent/protocol/conversation';
import type { RunEvent } from '@crewagent/protocol/events';
import type { Project } from '@crewagent/protocol/project';
import { toMenuEntries } from '../../agents/menu.ts';
import { ifPossible } from '../../base/crew-error.ts';
import type { ValidationContext } from '../../bmad/check/validate-package.ts';
import type { WorkflowPackage } from '../../bmad/check/workflow-package.ts';
import type { EngineRecord } from '../../engine/engine-sources.ts';
import { toAddress } from '../../store/work-address.ts';
import { withPhase } from '../../store/work-records.ts';
import { type AssembledEngine, type AssemblyOptions, assembleEngine } from '../assemble-engine.ts';
import { loadInstalled } from '../load-workflow.ts';

/** The agent of a conversation, with its package. */
export interface AgentBinding {
  readonly agent: AgentDefinition;
  readonly packageHash: string;
  readonly loaded: WorkflowPackage;
}

export interface OpenThread extends AssembledEngine {
  readonly binding: AgentBinding | undefined;
}

export interface ThreadOptions extends AssemblyOptions {
  readonly context: ValidationContext;
  /** Surface that shows the menu. */
  readonly surface: TargetSurface;
}

export interface OpenThreadOptions extends ThreadOptions {
  /** Undefined in a chat. */
  readonly binding: AgentBinding | undefined;
  /** Receives every event, from the first one on. */
  onEvent(event: RunEvent): void;
}

/** The caller holds the conversation's lock. */
export async function openThread(
  record: ConversationRecord,
  project: Project,
  { binding, onEvent, ...options }: OpenThreadOptions,
): Promise<OpenThread> {
  const { store, now } = options;
  const assembled = await assembleEngine(
    {
      record: toThreadRecord(record, binding),
      plan: undefined,
      agents: binding?.loaded.agents ?? [],
      project,
      packageHash: binding?.packageHash,
      address: toAddress(record),
      async savePhase(phase, reason) {
        await store.works.update<ConversationRecord>(toAddress(record), (latest) => ({
          ...withPhase(latest, phase, reason),
          updatedAt: now().toISOString(),
        }));
      },
      onEvent,
      menu: toMenuEntries(binding?.agent.menu ?? [], options.surface),
    },
    options,
  );
  return { ...assembled, binding };
}

/** The engine's view of a conversation record. */
export function toThreadRecord(
  { workId: runId, model, tools, limits }: ConversationRecord,
  binding: AgentBinding | undefined,
): EngineRecord {
  const activeAgentId = binding?.agent.id ?? '';
  return { runId, activeAgentId, model, tools, context: { scope: 'run' }, limits };
}

/**
 * Loads the agent of a conversation from the package it was entered with; undefined if the package does not have it.
 */
export async function loadAgentBinding(
  { agentId, hash }: { readonly agentId: string; readonly hash: string },
  { store, context }: Pick<ThreadOptions, 'store' | 'context'>,
): Promise<AgentBinding | undefined> {
  const loaded = await loadInstalled(hash, store, context);
  const agent = loaded.agents.find(({ id }) => id === agentId);
  return agent && { agent, packageHash: hash, loaded };
}

/** Reads an agent's menu without opening the conversation; empty if the package cannot be loaded. */
export async function readMenu(
  { agentId, package: { hash } }: EnteredAgent,
  surface: TargetSurface,
  options: Pick<ThreadOptions, 'store' | 'context'>,
): Promise<readonly MenuEntry[]> {
  const binding = await ifPossible(loadAgentBinding({ agentId, hash }, options));
  return toMenuEntries(binding?.agent.menu ?? [], surface);
}
