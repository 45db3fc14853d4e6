import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunEvent } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { killCount } from '../testing/kill-points.ts';
import { SAMPLE_FACTS, sampleConversation } from '../testing/sample-conversation.ts';
import { SAMPLE_PROJECT_ID } from '../testing/sample-record.ts';
import { readTree, tempFolder } from '../testing/temp-folder.ts';
import {
  archiveConversation,
  createConversation,
  readConversationRecord,
  renameConversation,
  takeConversationLock,
  updateConversationRecord,
} from './conversation-store.ts';
import { listConversations } from './find-conversations.ts';
import { createStoreLayout, type StoreLayout } from './layout.ts';
import { readRunLog } from './run-log.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
const later = (): Date => new Date('2026-01-31T10:00:00.000Z');
const createStore = async (): Promise<StoreLayout> => createStoreLayout(join(await tempFolder(), 'store'));

async function storeWithOne(): Promise<{ store: StoreLayout; record: ConversationRecord }> {
  const store = await createStore();
  return { store, record: await createConversation(store, sampleConversation(), { now }) };
}

/** Resolves with what the process said once it has ended. */
async function drive(driver: string, ...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [driver, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  return said;
}

describe('a conversation', () => {
  it('[V1] is made whole and for its owner only, and waits', async () => {
    const { store, record } = await storeWithOne();
    expect(await readConversationRecord(store, record)).toEqual(record);
    expect(record).toMatchObject({ schemaVersion: 1, title: '', phase: 'WaitingUser', kind: 'agent' });
    expect(record.reason).toBeUndefined();
    expect([record.createdAt, record.updatedAt]).toEqual([now().toISOString(), now().toISOString()]);
    const paths = store.conversation(record);
    expect(paths.folder).toBe(
      join(store.root, 'projects', SAMPLE_PROJECT_ID, 'conversations', record.conversationId),
    );
    expect(Object.keys(await readTree(paths.folder)).sort()).toEqual([
      'conversation.json',
      'messages.jsonl',
      'state/',
    ]);
    const events: RunEvent[] = [];
    expect(await readRunLog(paths.log, (event) => events.push(event))).toEqual({
      lastSeq: 2,
      isIntact: true,
    });
    expect(events).toMatchObject(SAMPLE_FACTS);
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([record.conversationId]));
    if (process.platform === 'win32') return;
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    for (const folder of [store.conversationsFolder(SAMPLE_PROJECT_ID), paths.folder, paths.state])
      expect(await modeOf(folder)).toBe(0o700);
    for (const file of [paths.record, paths.log]) expect(await modeOf(file)).toBe(0o600);
  });

  it('[A7] makes no path of what is no id', async () => {
    const { store, record } = await storeWithOne();
    for (const conversationId of ['', '..', `${record.conversationId}/..`])
      expect(() => store.conversation({ projectId: SAMPLE_PROJECT_ID, conversationId })).toThrow('no id');
  });

  it('[V1] whose making was killed is never seen, and is swept up by the next one', async () => {
    const driver = driverPath('conversation-driver');
    const store = await createStore();
    const told = new Set<string>();
    for (let kill = 0; kill < killCount(6); kill++) {
      const child = spawn(process.execPath, [driver, 'create forever', store.root], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      for (let data = 0; data < 1 + kill; data++) await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'close');
      for (const id of text.split('\n').slice(0, -1)) told.add(id);
      const found = await listConversations(store);
      for (const { conversationId, record, problem } of found) {
        expect(problem).toBeUndefined();
        expect(record?.conversationId).toBe(conversationId);
        const { log, state } = store.conversation({ projectId: SAMPLE_PROJECT_ID, conversationId });
        expect(await readRunLog(log, () => undefined)).toEqual({ lastSeq: 2, isIntact: true });
        expect((await stat(state)).isDirectory()).toBe(true);
      }
      expect(found.map(({ conversationId }) => conversationId)).toEqual(expect.arrayContaining([...told]));
    }
    await createConversation(store, sampleConversation(), { now });
    const names = await readdir(store.conversationsFolder(SAMPLE_PROJECT_ID));
    expect(names.filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('[V2] loses no change when processes make them at once, whoever works on it', async () => {
    const driver = driverPath('conversation-driver');
    const { store, record } = await storeWithOne();
    const { conversationId } = record;
    const lock = await takeConversationLock(store, record);
    const titles = Array.from({ length: 20 }, (_, index) => `Title ${index}`);
    const work = [
      drive(driver, 'rename', store.root, conversationId, ...titles),
      drive(driver, 'count turns', store.root, conversationId, '20'),
    ];
    for (let count = 0; count < 20; count++) {
      await updateConversationRecord(store, record, (current) => ({
        ...current,
        updatedAt: later().toISOString(),
      }));
      await archiveConversation(store, record, count % 2 === 0, later);
    }
    await Promise.all(work);
    await lock.release();
    expect(await readConversationRecord(store, record)).toEqual({
      ...record,
      title: 'Title 19',
      isRenamed: true,
      reason: { code: 'reply', message: '20' },
      updatedAt: later().toISOString(),
    });
  });

  it('[V2] loses no change when one process makes many at once', async () => {
    const { store, record } = await storeWithOne();
    const letters = [...'abcdefghij'];
    const add = (letter: string): Promise<unknown> =>
      updateConversationRecord(store, record, (current) => ({ ...current, title: current.title + letter }));
    await Promise.all(letters.map(add));
    const { title } = await readConversationRecord(store, record);
    expect([...title].sort()).toEqual(letters);
  });

  it('[V2] is not written when nothing changes, and not when it would not fit', async () => {
    const { store, record } = await storeWithOne();
    const { record: file } = store.conversation(record);
    const before = await stat(file, { bigint: true });
    expect(await updateConversationRecord(store, record, (current) => current)).toEqual(record);
    const unfit = { ...record, phase: 'Asleep' } as unknown as ConversationRecord;
    await expect(updateConversationRecord(store, record, () => unfit)).rejects.toThrow('phase');
    expect((await stat(file, { bigint: true })).ino).toBe(before.ino);
    expect(await readConversationRecord(store, record)).toEqual(record);
  });

  it('[V2] with a damaged or newer record is one sentence, and is left as it is', async () => {
    const { store, record } = await storeWithOne();
    const { record: file } = store.conversation(record);
    const damages: [text: string, words: RegExp][] = [
      ['', /"conversation\.json" in the store is damaged \(it is not JSON\)/],
      [JSON.stringify({ ...record, phase: 'Asleep' }), /is damaged \("phase": /],
      [JSON.stringify({ ...record, schemaVersion: 2 }), /was written by a newer version/],
    ];
    for (const [text, words] of damages) {
      await writeFile(file, text);
      for (const attempt of [
        readConversationRecord(store, record),
        renameConversation(store, record, 'New'),
      ]) {
        await expect(attempt).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
        await expect(attempt).rejects.toThrow(words);
      }
      expect(await readFile(file, 'utf8')).toBe(text);
    }
  });

  it('[V2] that is gone is one sentence, and stays gone', async () => {
    const { store, record } = await storeWithOne();
    await rm(store.conversation(record).folder, { recursive: true });
    const attempts = [
      readConversationRecord(store, record),
      renameConversation(store, record, 'New'),
      takeConversationLock(store, record),
    ];
    for (const attempt of attempts)
      await expect(attempt).rejects.toMatchObject({
        code: 'CONVERSATION_NOT_FOUND',
        message: 'The conversation no longer exists.',
      });
    expect(await readdir(store.conversationsFolder(SAMPLE_PROJECT_ID))).toEqual([]);
  });

  it('[A28] on a disk that refuses is one sentence', async () => {
    const { store, record } = await storeWithOne();
    const { record: file } = store.conversation(record);
    await rm(file);
    await mkdir(file);
    await expect(renameConversation(store, record, 'New')).rejects.toMatchObject({ code: 'DISK' });
  });

  const titles: [given: string, kept: string][] = [
    ['  The harbour  ', 'The harbour'],
    ['Two\nlines\tof it', 'Two lines of it'],
    ['\u001b[31mred\u202e', '[31mred'],
    ['港口', '港口'],
    ['🚢'.repeat(120), '🚢'.repeat(120)],
  ];
  it.each(titles)('[V3] is called what a person says: %j', async (given, kept) => {
    const { store, record } = await storeWithOne();
    const renamed = await renameConversation(store, record, given);
    expect(renamed).toEqual({ ...record, title: kept, isRenamed: true });
    expect(await readConversationRecord(store, record)).toEqual(renamed);
  });

  it.each(['', ' \n ', '\u200b', 'x'.repeat(121)])('[V3] is not given the title %j', async (title) => {
    const { store, record } = await storeWithOne();
    await expect(renameConversation(store, record, title)).rejects.toMatchObject({ code: 'USAGE' });
    expect(await readConversationRecord(store, record)).toEqual(record);
  });

  it('[V4] is put away and taken back with nothing else changed', async () => {
    const { store, record } = await storeWithOne();
    const archived = await archiveConversation(store, record, true, later);
    expect(archived).toEqual({ ...record, archivedAt: later().toISOString() });
    expect(await archiveConversation(store, record, true, now)).toEqual(archived);
    expect(await readConversationRecord(store, record)).toEqual(archived);
    for (let time = 0; time < 2; time++)
      expect(await archiveConversation(store, record, false, later)).toEqual(record);
    expect(await readConversationRecord(store, record)).toEqual(record);
  });
});
