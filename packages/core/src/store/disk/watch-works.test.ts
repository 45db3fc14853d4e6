import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunRecord } from '@crewagent/protocol/run';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUuidV7 } from '../../base/uuid-v7.ts';
import { cases } from '../../testing/kill-points.ts';
import { sampleConversation } from '../../testing/sample-conversation.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from '../../testing/sample-record.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { renameConversation } from '../edit-work.ts';
import { listConversations, listRuns } from '../find-works.ts';
import { toAddress, type WorkAddress } from '../work-address.ts';
import { listWorks, updateWork } from './find-works.ts';
import { type DiskStore, openDiskStore } from './open-store.ts';
import { createWorkWatch } from './watch-works.ts';
import { createWork, deleteWork } from './work-folders.ts';

const OTHER_PROJECT = '01890a5d-ac96-7bbd-8000-0000000000bb';
const now = (): Date => new Date();
const newId = createUuidV7(now);

async function emptyStore(): Promise<DiskStore> {
  return openDiskStore(join(await tempFolder(), 'store'));
}

/** Sets the marks of a store to an old time. */
async function age(store: DiskStore): Promise<void> {
  const then = new Date(Date.now() - 3_600_000);
  for (const project of [SAMPLE_PROJECT_ID, OTHER_PROJECT])
    for (const folder of [
      store.worksFolder(project, true),
      store.worksFolder(project, false),
      store.projectsFolder,
    ])
      await utimes(folder, then, then).catch(() => undefined);
}

/** Changes the title in a record without marking the change, like a program that does not know about marks. */
async function changeUnmarked(store: DiskStore, address: WorkAddress): Promise<void> {
  const file = store.work(address).record;
  const folder = store.worksFolder(address.projectId, address.isRun);
  const marks = await Promise.all(
    [folder, store.projectsFolder].map(async (path) => ({ path, stats: await stat(path) })),
  );
  await writeFile(`${file}.new`, (await readFile(file, 'utf8')).replace('"Sample"', '"Changed"'));
  await rename(`${file}.new`, file);
  for (const { path, stats } of marks) await utimes(path, stats.atime, stats.mtime);
}

async function countDiskOperations(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  // Other tests of this process may still use the disk.
  const measured = new AsyncLocalStorage<true>();
  const hook = createHook({
    init(_, type) {
      if (type === 'FSREQPROMISE' && measured.getStore()) count++;
    },
  }).enable();
  try {
    await measured.run(true, work);
  } finally {
    hook.disable();
  }
  return count;
}

describe('watching the records of a store', () => {
  it('costs the same for any number of records while nothing changes', async () => {
    const counts: number[] = [];
    for (const records of [2, 60]) {
      const store = await emptyStore();
      for (let made = 0; made < records; made++) {
        await createWork(store, sampleDraft(), { now, newId });
        await createWork(store, sampleConversation({ projectId: OTHER_PROJECT }), { now, newId });
      }
      await age(store);
      const watch = createWorkWatch(store);
      const { changed } = await watch.poll();
      for (const isRun of [true, false])
        expect(changed.filter((work) => work.isRun === isRun)).toHaveLength(records);
      counts.push(
        await countDiskOperations(async () => {
          expect(await watch.poll()).toEqual({ changed: [], removed: [] });
        }),
      );
      expect(watch.list()).toHaveLength(2 * records);
    }
    expect(counts).toEqual([1, 1]);
  });

  it('keeps equal parts of records once, and returns the records as they are stored', async () => {
    const store = await emptyStore();
    await createWork(store, sampleDraft(), { now, newId });
    await createWork(store, sampleDraft({ limits: { maxTurns: 7 } }), { now, newId });
    await createWork(store, sampleConversation(), { now, newId });
    const watch = createWorkWatch(store);
    const { changed } = await watch.poll();
    const byId = (works: readonly { workId: string }[]) =>
      [...works].sort((one, other) => (one.workId < other.workId ? -1 : 1));
    expect(byId(changed)).toEqual(byId(await listWorks(store, {})));
    const [first, second] = changed.filter(({ isRun }) => isRun).map(({ record }) => record);
    expect(second?.tools).toBe(first?.tools);
    expect(second?.limits).not.toEqual(first?.limits);
  });

  it('does not read the folders of an unchanged project', async () => {
    const store = await emptyStore();
    const quiet = await createWork(store, sampleDraft({ projectId: OTHER_PROJECT }), { now, newId });
    const watch = createWorkWatch(store);
    await createWork(store, sampleDraft(), { now, newId });
    await age(store);
    await watch.poll();
    await changeUnmarked(store, toAddress(quiet));
    const added = await createWork(store, sampleDraft(), { now, newId });
    const { changed } = await watch.poll();
    expect(changed.map(({ workId }) => workId)).toEqual([added.workId]);
  });

  it('finds an unmarked change if it is thorough', async () => {
    const store = await emptyStore();
    const record = await createWork(store, sampleDraft(), { now, newId });
    await age(store);
    const watch = createWorkWatch(store);
    await watch.poll();
    await changeUnmarked(store, toAddress(record));
    expect((await watch.poll()).changed).toEqual([]);
    const { changed } = await watch.poll({ isThorough: true });
    expect(changed).toMatchObject([{ workId: record.workId, record: { workflowTitle: 'Changed' } }]);
  });

  it('finds a change within the same clock tick as the previous one', async () => {
    const store = await emptyStore();
    const record = await createWork(store, sampleDraft(), { now, newId });
    const watch = createWorkWatch(store);
    await watch.poll();
    // The folders keep the previous modification time.
    await changeUnmarked(store, toAddress(record));
    expect((await watch.poll()).changed).toMatchObject([{ workId: record.workId }]);
  });

  it('finds every run and conversation that was added, changed or removed, in any order', async () => {
    const step = fc.constantFrom(
      'add',
      'change',
      'remove',
      'conversation',
      'rename',
      'forget',
      'age',
      'other',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const store = await emptyStore();
        const watch = createWorkWatch(store);
        for (const name of steps) {
          const [run] = await listRuns(store);
          const [conversation] = await listConversations(store);
          if (name === 'add') await createWork(store, sampleDraft(), { now, newId });
          if (name === 'other')
            await createWork(store, sampleDraft({ projectId: OTHER_PROJECT }), { now, newId });
          if (name === 'change' && run)
            await updateWork<RunRecord>(store, run, (record) => ({ ...record, workflowTitle: newId() }));
          if (name === 'remove' && run) await deleteWork(store, run);
          if (name === 'conversation') await createWork(store, sampleConversation(), { now, newId });
          if (name === 'rename' && conversation) await renameConversation(store.works, conversation, newId());
          if (name === 'forget' && conversation) await deleteWork(store, conversation);
          if (name === 'age') await age(store);
          else await watch.poll();
        }
        await watch.poll();
        expect(watch.list()).toEqual(await listWorks(store));
      }),
      cases(10),
    );
  });
});
