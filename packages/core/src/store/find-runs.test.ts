import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from '../testing/sample-record.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { listRuns, resolveRun } from './find-runs.ts';
import { createStoreLayout, type StoreLayout } from './layout.ts';
import { createRun } from './run-store.ts';

const OTHER_PROJECT_ID = SAMPLE_PROJECT_ID.replace('aa', 'bb');

/** Five runs of two projects, the oldest first. */
async function storeWithRuns(): Promise<{ store: StoreLayout; ids: string[] }> {
  const store = createStoreLayout(join(await tempFolder(), 'store'));
  let minute = 0;
  const now = (): Date => new Date(Date.UTC(2026, 0, 31, 9, minute++));
  const newId = createUuidV7(now);
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) {
    const projectId = count % 2 === 0 ? SAMPLE_PROJECT_ID : OTHER_PROJECT_ID;
    ids.push((await createRun(store, sampleDraft({ projectId }), { now, newId })).runId);
  }
  return { store, ids };
}

const codeOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'ok',
    (error: unknown) => (error instanceof CrewError ? error.code : String(error)),
  );

describe('runs', () => {
  it('[A9] are listed newest first, of all projects or of one', async () => {
    const { store, ids } = await storeWithRuns();
    expect((await listRuns(store)).map(({ runId }) => runId)).toEqual(ids.toReversed());
    const ofOne = await listRuns(store, { projectId: OTHER_PROJECT_ID });
    expect(ofOne.map(({ runId }) => runId)).toEqual([ids[3], ids[1]]);
    expect(ofOne[0]?.record?.projectId).toBe(OTHER_PROJECT_ID);
  });

  it('[A9] that are damaged are listed as such; what is no run is not', async () => {
    const { store, ids } = await storeWithRuns();
    const pathsOf = (index: number) => store.run({ projectId: SAMPLE_PROJECT_ID, runId: ids[index] ?? '' });
    await writeFile(pathsOf(0).record, '{');
    await rm(pathsOf(2).record);
    await rm(pathsOf(4).folder, { recursive: true });
    await mkdir(join(store.runsFolder(SAMPLE_PROJECT_ID), '.creating-1-0123456789abcdef'));
    await mkdir(join(store.runsFolder(SAMPLE_PROJECT_ID), 'notes'));
    await writeFile(join(store.projects, 'file'), '');
    const listed = await listRuns(store);
    expect(listed.map(({ runId, record }) => [runId, record !== undefined])).toEqual([
      [ids[3], true],
      [ids[2], false],
      [ids[1], true],
      [ids[0], false],
    ]);
    expect(listed[3]?.problem).toContain('is damaged');
    expect(listed[1]?.problem).toContain('is missing');
  });

  it('[A10] are meant by id, its beginning or end, or last', async () => {
    const { store, ids } = await storeWithRuns();
    const [first = '', , , , last = ''] = ids;
    for (const ref of [first, first.toUpperCase(), ` ${first} `, first.slice(0, 13), first.slice(-8)])
      expect(await resolveRun(store, ref)).toEqual({ projectId: SAMPLE_PROJECT_ID, runId: first });
    expect((await resolveRun(store, 'last')).runId).toBe(last);
    expect((await resolveRun(store, 'last', { projectId: OTHER_PROJECT_ID })).runId).toBe(ids[3]);
  });

  it('[A10] are never guessed', async () => {
    const { store, ids } = await storeWithRuns();
    const common = (ids[0] ?? '').slice(0, 6);
    await expect(resolveRun(store, common)).rejects.toThrow(`"${common}" fits 5 runs`);
    expect(await codeOf(resolveRun(store, common))).toBe('RUN_AMBIGUOUS');
    for (const ref of ['', '019', 'zzzz', '../..', `${ids[0]}0`])
      expect(await codeOf(resolveRun(store, ref))).toBe('RUN_NOT_FOUND');
    const empty = createStoreLayout(join(await tempFolder(), 'none'));
    expect(await codeOf(resolveRun(empty, 'last'))).toBe('RUN_NOT_FOUND');
    expect(await listRuns(empty)).toEqual([]);
  });
});
