import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { searchInThread } from '../search-in-thread.ts';
import { call } from '../testing/models/scripted-model.ts';
import { diskRigFor } from '../testing/rigs/branching-run.ts';
import { createWorkSearch } from './search-works.ts';

const write = (path: string, content: string) => call('fs_write', { path, content });
const settings = { tools: { approval: 'autopilot' } };
const budgetMs = 60_000;

async function makeRun() {
  const rig = await diskRigFor(
    [
      write('artifacts/list.md', '# 购物清单\nmilk, bread\n'),
      write('artifacts/keys.md', 'token ghp_0123456789abcdefghijABCDEFGHIJ012345\n'),
      'The Pantry list is ready.',
    ],
    { settings },
  );
  await rig.engine.start();
  return rig;
}

describe('a search over all Works', () => {
  it('[H41] finds messages and files of a run by words in any script, with the place of each', async () => {
    const { store, record } = await makeRun();
    const search = createWorkSearch(store);
    const replies = await search({ text: 'pantry READY', budgetMs });
    expect(replies.works).toMatchObject([
      {
        workId: record.workId,
        snippets: [{ kind: 'reply', text: 'The Pantry list is ready.', runId: record.workId }],
      },
    ]);
    const files = await search({ text: '购物', budgetMs });
    expect(files.works[0]?.snippets).toMatchObject([
      { kind: 'file', path: '@project/artifacts/list.md', marks: [[2, 4]] },
    ]);
    expect((await search({ text: 'nothing of this', budgetMs })).works).toEqual([]);
  });

  it('[H41] never shows a secret, of a file or of the log', async () => {
    const { store } = await makeRun();
    const search = createWorkSearch(store);
    expect((await search({ text: 'ghp_0123456789abcdefghijABCDEFGHIJ012345', budgetMs })).works).toEqual([]);
  });

  it('[H41] answers in time: what was not read yet is added by the next searches', async () => {
    const { store } = await makeRun();
    let now = 0;
    const search = createWorkSearch(store, () => now++);
    expect(await search({ text: 'pantry', budgetMs: -1 })).toMatchObject({ works: [], indexed: 0, total: 1 });
    expect(await search({ text: 'pantry', budgetMs })).toMatchObject({ indexed: 1, total: 1 });
  });

  it('[H41] reads a log again only if it changed, and rebuilds a damaged or missing index', async () => {
    const { store, record } = await makeRun();
    const text = 'pantry';
    await createWorkSearch(store)({ text, budgetMs });
    const file = join(store.root, 'cache', 'search.jsonl');
    const before = await readFile(file, 'utf8');
    await createWorkSearch(store)({ text, budgetMs });
    expect(await readFile(file, 'utf8')).toBe(before);
    for (const content of ['{"version":1,"id"', before.slice(0, before.length / 2), '\n\u0000\n']) {
      await writeFile(file, content);
      expect((await createWorkSearch(store)({ text, budgetMs })).works[0]?.workId).toBe(record.workId);
    }
    await rm(file);
    expect((await createWorkSearch(store)({ text, budgetMs })).works).toHaveLength(1);
  });

  it('[H41] runs in a thread with the same result, and says so if it takes too long', async () => {
    const { store } = await makeRun();
    const query = { text: 'pantry', budgetMs };
    expect(await searchInThread(store.root, query)).toEqual(await createWorkSearch(store)(query));
    const late = searchInThread(store.root, query, () => AbortSignal.abort());
    await expect(late).rejects.toMatchObject({ code: 'SEARCH_TIMED_OUT' });
    expect((await searchInThread(store.root, query)).total).toBe(1);
  });
});
