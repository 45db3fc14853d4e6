/**
 * A run and a conversation, for tests of the store that hold for both.
 */
import type { WorkRecord } from '@crewagent/protocol/work';
import type { StoreLayout } from '../store/disk/layout.ts';
import { createConversation, createRun, type WorkMaker } from '../store/disk/work-store.ts';
import { sampleConversation } from './sample-conversation.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from './sample-record.ts';

export type CreateWork = (store: StoreLayout, maker: WorkMaker, projectId?: string) => Promise<WorkRecord>;

export const BOTH_KINDS: readonly (readonly [noun: 'run' | 'conversation', create: CreateWork])[] = [
  [
    'run',
    (store, maker, projectId = SAMPLE_PROJECT_ID) => createRun(store, sampleDraft({ projectId }), maker),
  ],
  [
    'conversation',
    (store, maker, projectId = SAMPLE_PROJECT_ID) =>
      createConversation(store, sampleConversation({ projectId }), maker),
  ],
];
