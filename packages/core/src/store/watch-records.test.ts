import { createHook } from 'node:async_hooks';
import { readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { sampleConversation } from '../testing/sample-conversation.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from '../testing/sample-record.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { createConversation, deleteConversation, renameConversation } from './conversation-store.ts';
import { listConversations } from './find-conversations.ts';
import { listRuns } from './find-runs.ts';
import { createStoreLayout, type RunAddress, type StoreLayout } from './layout.ts';
import { createRun, deleteRun, readRunRecord, writeRunRecord } from './run-store.ts';
import { createConversationWatch, createRunWatch } from './watch-records.ts';

const OTHER_PROJECT = '01890a5d-ac96-7bbd-8000-0000000000bb';
const now = (): Date => new Date();
const newId = createUuidV7(now);

async function emptyStore(): Promise<StoreLayout> {
  return createStoreLayout(join(await tempFolder(), 'store'));
}

/** Lets the marks of a store look like ones that were made long ago. */
async function age(store: StoreLayout): Promise<void> {
  const then = new Date(Date.now() - 3_600_000);
  for (const project of [SAMPLE_PROJECT_ID, OTHER_PROJECT])
    for (const folder of [store.runsFolder(project), store.conversationsFolder(project), store.projects])
      await utimes(folder, then, then).catch(() => undefined);
}

/** Puts another title into a record without saying so, as a program does that knows nothing of marks. */
async function changeUnmarked(store: StoreLayout, address: RunAddress): Promise<void> {
  const file = store.run(address).record;
  const folder = store.runsFolder(address.projectId);
  const marks = await Promise.all(
    [folder, store.projects].map(async (path) => ({ path, ...(await stat(path)) })),
  );
  await writeFile(`${file}.new`, (await readFile(file, 'utf8')).replace('"Sample"', '"Changed"'));
  await rename(`${file}.new`, file);
  for (const { path, atime, mtime } of marks) await utimes(path, atime, mtime);
}

async function countDiskOperations(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_, type) {
      if (type === 'FSREQPROMISE') count++;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return count;
}

describe('a look at the records of a store', () => {
  it('[A51] costs the same however many there are, while nothing changes', async () => {
    const counts: number[] = [];
    for (const records of [2, 60]) {
      const store = await emptyStore();
      for (let made = 0; made < records; made++) {
        await createRun(store, sampleDraft(), { now, newId });
        await createConversation(store, sampleConversation({ projectId: OTHER_PROJECT }), { now, newId });
      }
      await age(store);
      const [runs, conversations] = [createRunWatch(store), createConversationWatch(store)];
      expect((await runs.look()).changed).toHaveLength(records);
      expect((await conversations.look()).changed).toHaveLength(records);
      counts.push(
        await countDiskOperations(async () => {
          expect(await runs.look()).toEqual({ changed: [], removed: [] });
          expect(await conversations.look()).toEqual({ changed: [], removed: [] });
        }),
      );
      expect(runs.list()).toHaveLength(records);
    }
    expect(counts).toEqual([2, 2]);
  });

  it('[A51] reads no folder of a project where nothing changed', async () => {
    const store = await emptyStore();
    const quiet = await createRun(store, sampleDraft({ projectId: OTHER_PROJECT }), { now, newId });
    const watch = createRunWatch(store);
    await createRun(store, sampleDraft(), { now, newId });
    await age(store);
    await watch.look();
    await changeUnmarked(store, quiet);
    const added = await createRun(store, sampleDraft(), { now, newId });
    const { changed } = await watch.look();
    expect(changed.map(({ runId }) => runId)).toEqual([added.runId]);
  });

  it('[A51] sees a change that nobody marked when it is thorough', async () => {
    const store = await emptyStore();
    const record = await createRun(store, sampleDraft(), { now, newId });
    await age(store);
    const watch = createRunWatch(store);
    await watch.look();
    await changeUnmarked(store, record);
    expect((await watch.look()).changed).toEqual([]);
    const { changed } = await watch.look({ isThorough: true });
    expect(changed).toMatchObject([{ runId: record.runId, record: { workflowTitle: 'Changed' } }]);
  });

  it('[A51] sees a change that follows another one within the same tick of the clock', async () => {
    const store = await emptyStore();
    const record = await createRun(store, sampleDraft(), { now, newId });
    const watch = createRunWatch(store);
    await watch.look();
    // The time of the folders stays what it was a moment ago.
    await changeUnmarked(store, record);
    expect((await watch.look()).changed).toMatchObject([{ runId: record.runId }]);
  });

  it('[A51] sees every run and conversation that was added, changed or removed, in any order', async () => {
    const step = fc.constantFrom('add', 'change', 'remove', 'talk', 'rename', 'forget', 'age', 'other');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const store = await emptyStore();
        const [runs, conversations] = [createRunWatch(store), createConversationWatch(store)];
        for (const name of steps) {
          const [run] = await listRuns(store);
          const [talk] = await listConversations(store);
          if (name === 'add') await createRun(store, sampleDraft(), { now, newId });
          if (name === 'other')
            await createRun(store, sampleDraft({ projectId: OTHER_PROJECT }), { now, newId });
          if (name === 'change' && run)
            await writeRunRecord(store, { ...(await readRunRecord(store, run)), workflowTitle: newId() });
          if (name === 'remove' && run) await deleteRun(store, run);
          if (name === 'talk') await createConversation(store, sampleConversation(), { now, newId });
          if (name === 'rename' && talk) await renameConversation(store, talk, newId());
          if (name === 'forget' && talk) await deleteConversation(store, talk);
          if (name === 'age') await age(store);
          else await Promise.all([runs.look(), conversations.look()]);
        }
        await Promise.all([runs.look(), conversations.look()]);
        expect(runs.list()).toEqual(await listRuns(store));
        expect(conversations.list()).toHaveLength((await listConversations(store)).length);
      }),
      { numRuns: 25 },
    );
  });
});
