import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../../base/crew-error.ts';
import { createUuidV7 } from '../../base/uuid-v7.ts';
import { BOTH_KINDS, sampleConversation } from '../../testing/sample-conversation.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from '../../testing/sample-record.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { archiveConversation } from '../edit-work.ts';
import { listConversations, listRuns, resolveConversation, resolveRun } from '../find-works.ts';
import { type ConversationAddress, toAddress, type WorkAddress } from '../work-address.ts';
import type { WorkMaker } from '../work-store.ts';
import { findWork, listWorks, updateWork } from './find-works.ts';
import { type DiskStore, openDiskStore } from './open-store.ts';
import { createWork } from './work-folders.ts';

const OTHER_PROJECT_ID = SAMPLE_PROJECT_ID.replace('aa', 'bb');

interface Scene<Address extends WorkAddress> {
  readonly store: DiskStore;
  readonly ids: readonly string[];
  addressOf(index: number): Address;
}

/** Five Works of two projects, created one after the other. */
async function scene<Address extends WorkAddress>(
  create: (store: DiskStore, maker: WorkMaker, projectId: string) => Promise<Address>,
): Promise<Scene<Address>> {
  const store = openDiskStore(join(await tempFolder(), 'store'));
  let minute = 0;
  const now = (): Date => new Date(Date.UTC(2026, 0, 31, 9, minute++));
  const newId = createUuidV7(now);
  const addresses: Address[] = [];
  for (let count = 0; count < 5; count++) {
    const projectId = count % 2 === 0 ? SAMPLE_PROJECT_ID : OTHER_PROJECT_ID;
    addresses.push(await create(store, { now, newId }, projectId));
  }
  return {
    store,
    ids: addresses.map(({ workId }) => workId),
    addressOf: (index) => addresses[index] as Address,
  };
}

const runs = () =>
  scene(async (store, maker, projectId) =>
    toAddress(await createWork(store, sampleDraft({ projectId }), maker)),
  );

const conversations = () =>
  scene(async (store, maker, projectId) =>
    toAddress(await createWork(store, sampleConversation({ projectId }), maker)),
  );

async function speakIn(store: DiskStore, address: ConversationAddress): Promise<void> {
  await updateWork<ConversationRecord>(store, address, (record) => ({
    ...record,
    updatedAt: '2026-02-01T00:00:00.000Z',
  }));
}

const codeOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'ok',
    (error: unknown) => (error instanceof CrewError ? error.code : String(error)),
  );

describe('runs', () => {
  it('[A10] are listed newest first, for all projects or one', async () => {
    const { store, ids } = await runs();
    expect((await listRuns(store)).map(({ workId }) => workId)).toEqual(ids.toReversed());
    const ofOne = await listRuns(store, { projectId: OTHER_PROJECT_ID });
    expect(ofOne.map(({ workId }) => workId)).toEqual([ids[3], ids[1]]);
    expect(ofOne[0]?.record?.projectId).toBe(OTHER_PROJECT_ID);
  });

  it('[A10] that are damaged are listed with their problem; other entries are not listed', async () => {
    const { store, ids, addressOf } = await runs();
    const pathsOf = (index: number) => store.work(addressOf(index));
    await writeFile(pathsOf(0).record, '{');
    await rm(pathsOf(2).record);
    await rm(pathsOf(4).folder, { recursive: true });
    const folder = store.worksFolder(SAMPLE_PROJECT_ID, true);
    await mkdir(join(folder, '.creating-1-0123456789abcdef'));
    await mkdir(join(folder, 'notes'));
    await writeFile(join(store.projectsFolder, 'file'), '');
    const listed = await listRuns(store);
    expect(listed.map(({ workId, record }) => [workId, record !== undefined])).toEqual([
      [ids[3], true],
      [ids[2], false],
      [ids[1], true],
      [ids[0], false],
    ]);
    expect(listed[3]?.problem).toContain('is damaged');
    expect(listed[1]?.problem).toContain('is missing');
  });
});

describe.each(BOTH_KINDS)('a %s', (noun, create) => {
  const resolve = noun === 'run' ? resolveRun : resolveConversation;
  const five = () =>
    scene(async (store, maker, projectId) => toAddress(await create(store, maker, projectId)));

  it('[A10] is resolved from its id, the beginning or end of it, or last', async () => {
    const { store, addressOf } = await five();
    const { workId: id } = addressOf(0);
    for (const ref of [id, id.toUpperCase(), ` ${id} `, id.slice(0, 13), id.slice(-8)])
      expect(await resolve(store, ref)).toEqual(addressOf(0));
    for (const ref of ['last', ' LAST ']) expect(await resolve(store, ref)).toEqual(addressOf(4));
  });

  it('[A10] is not resolved from an ambiguous or unknown id', async () => {
    const { store, ids } = await five();
    const common = (ids[0] ?? '').slice(0, 6);
    await expect(resolve(store, common)).rejects.toMatchObject({
      code: `${noun.toUpperCase()}_AMBIGUOUS`,
      message: expect.stringContaining(`"${common}" matches 5 ${noun}s`) as string,
      details: { [`${noun}s`]: ids.toReversed() },
    });
    const missing = `${noun.toUpperCase()}_NOT_FOUND`;
    for (const ref of ['', '019', 'zzzz', '../..', `${ids[0]}0`])
      expect(await codeOf(resolve(store, ref))).toBe(missing);
    const empty = openDiskStore(join(await tempFolder(), 'none'));
    await expect(resolve(empty, 'last')).rejects.toMatchObject({
      code: missing,
      message: `There is no ${noun} yet.`,
    });
    expect(await listWorks(empty)).toEqual([]);
  });

  it('[A10] is found by its complete id only', async () => {
    const { store, addressOf } = await five();
    for (const index of [0, 1]) {
      const address = addressOf(index);
      expect(await findWork(store, address.workId)).toEqual(address);
      for (const ref of ['', 'last', address.workId.slice(0, 13), `../runs/${address.workId}`])
        expect(await codeOf(findWork(store, ref))).toBe('WORK_NOT_FOUND');
    }
    await rm(store.work(addressOf(0)).folder, { recursive: true });
    expect(await codeOf(findWork(store, addressOf(0).workId))).toBe('WORK_NOT_FOUND');
  });
});

describe('conversations', () => {
  it('[V32] are listed by their last message, for all projects or one', async () => {
    const { store, ids, addressOf } = await conversations();
    await speakIn(store, addressOf(1));
    const listed = await listConversations(store);
    expect(listed.map(({ workId }) => ids.indexOf(workId))).toEqual([1, 4, 3, 2, 0]);
    const ofOne = await listConversations(store, { projectId: SAMPLE_PROJECT_ID });
    expect(ofOne.map(({ workId }) => ids.indexOf(workId))).toEqual([4, 2, 0]);
    const { projectId, workId } = addressOf(4);
    expect(ofOne[0]).toMatchObject({ ...addressOf(4), record: { projectId, workId } });
  });

  it('[V32] that are archived are listed separately; damaged ones come last among the others', async () => {
    const { store, ids, addressOf } = await conversations();
    for (const index of [0, 3])
      await archiveConversation(store.works, addressOf(index), true, () => new Date());
    await writeFile(store.work(addressOf(4)).record, '{');
    await rm(store.work(addressOf(2)).record);
    const shown = await listConversations(store);
    expect(shown.map(({ workId }) => ids.indexOf(workId))).toEqual([1, 4, 2]);
    expect(shown.map(({ problem }) => problem)).toEqual([
      undefined,
      expect.stringContaining('is damaged'),
      expect.stringContaining('is missing'),
    ]);
    const archived = await listConversations(store, { isArchived: true });
    expect(archived.map(({ workId }) => ids.indexOf(workId))).toEqual([3, 0]);
  });

  it('[A10] are resolved from last by their activity, in all projects or one', async () => {
    const { store, addressOf } = await conversations();
    expect(await resolveConversation(store, 'last', { projectId: OTHER_PROJECT_ID })).toEqual(addressOf(3));
    await speakIn(store, addressOf(1));
    expect(await resolveConversation(store, ' LAST ')).toEqual(addressOf(1));
  });

  it('[A10] that are archived or damaged are resolved by id, never by last', async () => {
    const { store, addressOf } = await conversations();
    await archiveConversation(store.works, addressOf(4), true, () => new Date());
    await writeFile(store.work(addressOf(3)).record, '{');
    expect(await resolveConversation(store, 'last')).toEqual(addressOf(2));
    for (const index of [3, 4])
      expect(await resolveConversation(store, addressOf(index).workId)).toEqual(addressOf(index));
  });
});
