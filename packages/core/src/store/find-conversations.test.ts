import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { sampleConversation } from '../testing/sample-conversation.ts';
import { SAMPLE_PROJECT_ID } from '../testing/sample-record.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { archiveConversation, createConversation, updateConversationRecord } from './conversation-store.ts';
import { listConversations, resolveConversation } from './find-conversations.ts';
import { type ConversationAddress, createStoreLayout, type StoreLayout } from './layout.ts';

const OTHER_PROJECT_ID = SAMPLE_PROJECT_ID.replace('aa', 'bb');

interface Scene {
  readonly store: StoreLayout;
  readonly ids: readonly string[];
  addressOf(index: number): ConversationAddress;
}

/** Five conversations of two projects, made one after the other. */
async function scene(): Promise<Scene> {
  const store = createStoreLayout(join(await tempFolder(), 'store'));
  let minute = 0;
  const now = (): Date => new Date(Date.UTC(2026, 0, 31, 9, minute++));
  const newId = createUuidV7(now);
  const addresses: ConversationAddress[] = [];
  for (let count = 0; count < 5; count++) {
    const projectId = count % 2 === 0 ? SAMPLE_PROJECT_ID : OTHER_PROJECT_ID;
    const { conversationId } = await createConversation(store, sampleConversation({ projectId }), {
      now,
      newId,
    });
    addresses.push({ projectId, conversationId });
  }
  return {
    store,
    ids: addresses.map(({ conversationId }) => conversationId),
    addressOf: (index) => addresses[index] ?? { projectId: '', conversationId: '' },
  };
}

async function speakIn(store: StoreLayout, address: ConversationAddress): Promise<void> {
  await updateConversationRecord(store, address, (record) => ({
    ...record,
    updatedAt: '2026-02-01T00:00:00.000Z',
  }));
}

const codeOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'ok',
    (error: unknown) => (error instanceof CrewError ? error.code : String(error)),
  );

describe('conversations', () => {
  it('[V8] are listed by when something was last said, of all projects or of one', async () => {
    const { store, ids, addressOf } = await scene();
    await speakIn(store, addressOf(1));
    const listed = await listConversations(store);
    expect(listed.map(({ conversationId }) => ids.indexOf(conversationId))).toEqual([1, 4, 3, 2, 0]);
    const ofOne = await listConversations(store, { projectId: SAMPLE_PROJECT_ID });
    expect(ofOne.map(({ conversationId }) => ids.indexOf(conversationId))).toEqual([4, 2, 0]);
    expect(ofOne[0]).toMatchObject({ ...addressOf(4), record: addressOf(4) });
  });

  it('[V8] that were archived are a list of their own; damaged ones are the last of the others', async () => {
    const { store, ids, addressOf } = await scene();
    for (const index of [0, 3]) await archiveConversation(store, addressOf(index), true, () => new Date());
    await writeFile(store.conversation(addressOf(4)).record, '{');
    await rm(store.conversation(addressOf(2)).record);
    const shown = await listConversations(store);
    expect(shown.map(({ conversationId }) => ids.indexOf(conversationId))).toEqual([1, 4, 2]);
    expect(shown.map(({ problem }) => problem)).toEqual([
      undefined,
      expect.stringContaining('is damaged'),
      expect.stringContaining('is missing'),
    ]);
    const archived = await listConversations(store, { isArchived: true });
    expect(archived.map(({ conversationId }) => ids.indexOf(conversationId))).toEqual([3, 0]);
  });

  it('[V9] are meant by id, its beginning or end, or last', async () => {
    const { store, addressOf } = await scene();
    const { conversationId: id } = addressOf(0);
    for (const ref of [id, id.toUpperCase(), ` ${id} `, id.slice(0, 13), id.slice(-8)])
      expect(await resolveConversation(store, ref)).toEqual(addressOf(0));
    expect(await resolveConversation(store, 'last')).toEqual(addressOf(4));
    expect(await resolveConversation(store, 'last', { projectId: OTHER_PROJECT_ID })).toEqual(addressOf(3));
    await speakIn(store, addressOf(1));
    expect(await resolveConversation(store, ' LAST ')).toEqual(addressOf(1));
  });

  it('[V9] that are archived or damaged are found by id and are never the last', async () => {
    const { store, addressOf } = await scene();
    await archiveConversation(store, addressOf(4), true, () => new Date());
    await writeFile(store.conversation(addressOf(3)).record, '{');
    expect(await resolveConversation(store, 'last')).toEqual(addressOf(2));
    for (const index of [3, 4])
      expect(await resolveConversation(store, addressOf(index).conversationId)).toEqual(addressOf(index));
  });

  it('[V9] are never guessed', async () => {
    const { store, ids } = await scene();
    const common = (ids[0] ?? '').slice(0, 6);
    await expect(resolveConversation(store, common)).rejects.toMatchObject({
      code: 'CONVERSATION_AMBIGUOUS',
      message: expect.stringContaining(`"${common}" fits 5 conversations`) as string,
      details: { conversations: ids.toReversed() },
    });
    for (const ref of ['', '019', 'zzzz', '../..', `${ids[0]}0`])
      expect(await codeOf(resolveConversation(store, ref))).toBe('CONVERSATION_NOT_FOUND');
    const empty = createStoreLayout(join(await tempFolder(), 'none'));
    await expect(resolveConversation(empty, 'last')).rejects.toThrow('There is no conversation yet.');
    expect(await listConversations(empty)).toEqual([]);
  });
});
