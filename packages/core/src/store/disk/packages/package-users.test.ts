import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SAMPLE_AGENT, sampleConversation } from '../../../testing/sample-conversation.ts';
import { tempFolder } from '../../../testing/temp-folder.ts';
import { archiveConversation } from '../../edit-work.ts';
import { toAddress } from '../../work-address.ts';
import { openDiskStore } from '../open-store.ts';
import { createWork } from '../work-folders.ts';
import { worksNeedingPackage } from './package-users.ts';

const now = (): Date => new Date();

describe('a package', () => {
  it('is needed by a conversation with one of its agents, until it is archived', async () => {
    const store = openDiskStore(join(await tempFolder(), 'store'));
    const { hash } = SAMPLE_AGENT.package;
    const needing = async () => (await worksNeedingPackage(store, hash)).conversations;
    expect(await needing()).toEqual([]);
    const { agent: _, ...chat } = sampleConversation({ kind: 'chat' });
    await createWork(store, chat, { now });
    const elsewhere = { ...SAMPLE_AGENT, package: { ...SAMPLE_AGENT.package, hash: 'b'.repeat(64) } };
    await createWork(store, sampleConversation({ agent: elsewhere }), { now });
    const record = await createWork(store, sampleConversation(), { now });
    expect(await needing()).toEqual([record.workId]);
    await archiveConversation(store.works, toAddress(record), true, now);
    expect(await needing()).toEqual([]);
  });

  it('is needed by an unreadable conversation, but not by a readable one of another version', async () => {
    const store = openDiskStore(join(await tempFolder(), 'store'));
    const record = await createWork(store, sampleConversation(), { now });
    const { record: file } = store.work(toAddress(record));
    const needing = async (text: string): Promise<number> => {
      await writeFile(file, text);
      return (await worksNeedingPackage(store, 'b'.repeat(64))).conversations.length;
    };
    for (const text of ['', '{', 'null', '{"agent":{"package":{"hash":7}}}'])
      expect(await needing(text)).toBe(1);
    expect(await needing(JSON.stringify({ ...record, schemaVersion: 2, mood: 'new' }))).toBe(0);
  });
});
