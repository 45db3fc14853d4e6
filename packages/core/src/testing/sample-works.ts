/**
 * A run and a conversation, for tests of the store that apply to both.
 */
import type { WorkRecord } from '@crewagent/protocol/work';
import type { DiskStore } from '../store/disk/open-store.ts';
import { createWork } from '../store/disk/work-folders.ts';
import type { WorkMaker } from '../store/work-store.ts';
import { sampleConversation } from './sample-conversation.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from './sample-record.ts';

export type CreateWork = (store: DiskStore, maker: WorkMaker, projectId?: string) => Promise<WorkRecord>;

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
