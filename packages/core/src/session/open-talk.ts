/**
 * The talk of a conversation as something that can be spoken to: an agent with its package, or nobody in particular. It is
 * opened anew when a person turns to somebody else.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { TargetSurface } from '@crewagent/protocol/commands';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunEvent } from '@crewagent/protocol/events';
import type { Project } from '@crewagent/protocol/project';
import { toMenuEntries } from '../agents/menu.ts';
import type { ValidationContext } from '../bmad/validate-package.ts';
import type { WorkflowPackage } from '../bmad/workflow-package.ts';
import type { EngineRecord } from '../engine/engine-sources.ts';
import { toAddress } from '../store/layout.ts';
import { updateWork, withPhase } from '../store/work-record.ts';
import { type AssembledEngine, type AssemblyOptions, assembleEngine } from './assemble-engine.ts';
import { loadInstalled } from './load-workflow.ts';

/** Whom one talks to, with everything that belongs to them. */
export interface Partner {
  readonly agent: AgentDefinition;
  readonly packageHash: string;
  readonly loaded: WorkflowPackage;
}

export interface OpenTalk extends AssembledEngine {
  readonly partner: Partner | undefined;
}

export interface TalkOptions extends AssemblyOptions {
  readonly context: ValidationContext;
  /** Where the menu is shown. */
  readonly surface: TargetSurface;
}

export interface OpenTalkOptions extends TalkOptions {
  /** Where it was loaded a moment ago. */
  readonly partner: Partner | undefined;
  /** Told what is emitted from the first moment on. */
  onEvent(event: RunEvent): void;
}

/** Under the conversation's lock. */
export async function openTalk(
  record: ConversationRecord,
  project: Project,
  { partner, onEvent, ...options }: OpenTalkOptions,
): Promise<OpenTalk> {
  const { store, now } = options;
  const assembled = await assembleEngine(
    {
      record: toTalkRecord(record, partner),
      plan: undefined,
      agents: partner?.loaded.agents ?? [],
      project,
      packageHash: partner?.packageHash,
      paths: store.work(toAddress(record)),
      async savePhase(phase, reason) {
        await updateWork<ConversationRecord>(store, toAddress(record), (latest) => ({
          ...withPhase(latest, phase, reason),
          updatedAt: now().toISOString(),
        }));
      },
      onEvent,
      menu: toMenuEntries(partner?.agent.menu ?? [], options.surface),
    },
    options,
  );
  return { ...assembled, partner };
}

/** What counts of a conversation while somebody is talked to. */
export function toTalkRecord(
  { workId: runId, model, tools, limits }: ConversationRecord,
  partner: Partner | undefined,
): EngineRecord {
  const activeAgentId = partner?.agent.id ?? '';
  return { runId, activeAgentId, model, tools, context: { scope: 'run' }, limits };
}

/** The agent a conversation is with, out of the package it was entered from. */
export async function loadPartner(
  { agentId, hash }: { readonly agentId: string; readonly hash: string },
  { store, context }: Pick<TalkOptions, 'store' | 'context'>,
): Promise<Partner | undefined> {
  const loaded = await loadInstalled(hash, store, context);
  const agent = loaded.agents.find(({ id }) => id === agentId);
  return agent && { agent, packageHash: hash, loaded };
}
