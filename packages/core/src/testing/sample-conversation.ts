/**
 * Draft of a conversation, and both kinds of Works, for tests of the store.
 */
import type { EnteredAgent } from '@crewagent/protocol/conversation';
import type { RunFact } from '@crewagent/protocol/events';
import { runLimitsSchema } from '@crewagent/protocol/settings';
import { systemToolPolicySchema } from '@crewagent/protocol/tools';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { DiskStore } from '../store/disk/open-store.ts';
import { createWork } from '../store/disk/work-folders.ts';
import type { ConversationDraft, WorkMaker } from '../store/work-store.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from './sample-record.ts';

export const SAMPLE_AGENT: EnteredAgent = {
  agentId: 'bob',
  name: 'Bob',
  title: 'Scrum master',
  icon: '🏃',
  package: { name: 'sample', version: '1.0.0', hash: 'a'.repeat(64) },
};

export const SAMPLE_FACTS: readonly RunFact[] = [
  { type: 'conversation.created', kind: 'agent', model: { kind: 'rehearsal' } },
  { type: 'agent.entered', agent: SAMPLE_AGENT },
];

export function sampleConversation(change: Partial<ConversationDraft> = {}): ConversationDraft {
  return {
    projectId: SAMPLE_PROJECT_ID,
    kind: 'agent',
    agent: SAMPLE_AGENT,
    model: { kind: 'rehearsal' },
    tools: systemToolPolicySchema.parse({}),
    limits: runLimitsSchema.parse({}),
    firstFacts: SAMPLE_FACTS,
    ...change,
  };
}

/** A tool result of `bytes` bytes. */
export function sampleOutput(bytes: number, letter = 'x'): RunFact {
  return {
    type: 'tool.ended',
    callId: `call-${letter}`,
    name: 'fs.read',
    outcome: 'ok',
    durationMs: 3,
    content: letter.repeat(bytes),
  };
}

export type CreateWork = (store: DiskStore, maker: WorkMaker, projectId?: string) => Promise<WorkRecord>;

/** For tests of the store that apply to both. */
export const BOTH_KINDS: readonly (readonly [noun: 'run' | 'conversation', create: CreateWork])[] = [
  [
    'run',
    (store, maker, projectId = SAMPLE_PROJECT_ID) => createWork(store, sampleDraft({ projectId }), maker),
  ],
  [
    'conversation',
    (store, maker, projectId = SAMPLE_PROJECT_ID) =>
      createWork(store, sampleConversation({ projectId }), maker),
  ],
];
