import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { killCount } from '../testing/kill-points.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from '../testing/sample-record.ts';
import { SAMPLE_STATE } from '../testing/sample-run.ts';
import { readTree, tempFolder } from '../testing/temp-folder.ts';
import { readWorkflowState } from '../workflow/workflow-state.ts';
import { listRuns } from './find-runs.ts';
import { createStoreLayout, type StoreLayout } from './layout.ts';
import { takeRunLock } from './run-lock.ts';
import { openRunLog, readRunLog } from './run-log.ts';
import { createRun, deleteRun, readRunRecord, writeRunRecord } from './run-store.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
const createStore = async (): Promise<StoreLayout> => createStoreLayout(join(await tempFolder(), 'store'));

describe('a run', () => {
  it('[A5] is made whole and for its owner only', async () => {
    const store = await createStore();
    const record = await createRun(store, sampleDraft(), { now });
    expect(await readRunRecord(store, record)).toEqual(record);
    expect(record).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'interrupted' },
      createdAt: '2026-01-31T09:30:00.000Z',
      packageHash: 'a'.repeat(64),
    });
    const paths = store.run(record);
    expect(Object.keys(await readTree(paths.folder)).sort()).toEqual([
      'logs/',
      'logs/execution.jsonl',
      'run.json',
      'state/',
      'state/workflow.md',
    ]);
    if (process.platform === 'win32') return;
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    for (const folder of [store.root, store.projects, paths.folder, paths.state, paths.logs])
      expect(await modeOf(folder)).toBe(0o700);
    for (const file of [paths.record, paths.stateDocument, paths.log]) expect(await modeOf(file)).toBe(0o600);
  });

  it('[A6] begins with the state document of its package', async () => {
    const store = await createStore();
    const record = await createRun(store, sampleDraft(), { now });
    const text = await readFile(store.run(record).stateDocument, 'utf8');
    expect(await readWorkflowState(text)).toMatchObject({
      ok: true,
      state: { runId: record.runId, activeAgentId: 'analyst', currentNodeId: 'step-01', stepsCompleted: [] },
    });
    expect(text.endsWith(SAMPLE_STATE.slice(SAMPLE_STATE.lastIndexOf('---')))).toBe(true);
  });

  it('[A6] whose state document would not be valid is not made', async () => {
    const store = await createStore();
    const draft = sampleDraft({ stateTemplate: '---\nworkflowType: x\n---\n' });
    await expect(createRun(store, draft, { now })).rejects.toMatchObject({ code: 'PACKAGE_INVALID' });
    expect(await listRuns(store)).toEqual([]);
  });

  it('[A5] can be made with the first line of its log', async () => {
    const store = await createStore();
    const record = await createRun(store, sampleDraft({ firstFacts: [{ type: 'run.resumed' }] }), { now });
    const log = await openRunLog({ file: store.run(record).log, runId: record.runId, now });
    expect([log.lastSeq, log.brokenAt]).toEqual([1, undefined]);
    await log.close();
  });

  it('[A5] whose making was killed is never seen, and is swept up by the next one', async () => {
    const driver = driverPath('store-driver');
    const store = await createStore();
    const told = new Set<string>();
    for (let kill = 0; kill < killCount(9); kill++) {
      const child = spawn(process.execPath, [driver, 'create runs forever', store.root], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      for (let data = 0; data < 1 + kill; data++) await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'close');
      for (const runId of text.split('\n').slice(0, -1)) told.add(runId);
      const runs = await listRuns(store);
      for (const { runId, record, problem } of runs) {
        expect(problem).toBeUndefined();
        expect(record?.runId).toBe(runId);
        const paths = store.run({ projectId: SAMPLE_PROJECT_ID, runId });
        const state = await readWorkflowState(await readFile(paths.stateDocument, 'utf8'));
        expect(state.ok).toBe(true);
        expect(await readRunLog(paths.log, () => undefined)).toEqual({ lastSeq: 1, isIntact: true });
      }
      expect(runs.map(({ runId }) => runId)).toEqual(expect.arrayContaining([...told]));
    }
    const { runId } = await createRun(store, sampleDraft(), { now: () => new Date() });
    const names = await readdir(store.runsFolder(SAMPLE_PROJECT_ID));
    expect(names.filter((name) => name.startsWith('.'))).toEqual([]);
    expect(names).toContain(runId);
  });

  it('[A8] has a record that is replaced as a whole and read with care', async () => {
    const store = await createStore();
    const record = await createRun(store, sampleDraft(), { now });
    const { reason: _, ...running } = { ...record, phase: 'Running' as const };
    await writeRunRecord(store, running);
    expect(await readRunRecord(store, record)).toEqual(running);
    const file = store.run(record).record;
    const damages: [text: string, words: RegExp][] = [
      ['', /is damaged \(it is not JSON\)/],
      ['{"runId":', /is damaged \(it is not JSON\)/],
      [JSON.stringify({ ...record, phase: 'Asleep' }), /is damaged \("phase": /],
      [JSON.stringify({ ...record, schemaVersion: 2 }), /was written by a newer version/],
    ];
    for (const [text, words] of damages) {
      await writeFile(file, text);
      const reading = readRunRecord(store, record);
      await expect(reading).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
      await expect(reading).rejects.toThrow(words);
      await expect(reading).rejects.toMatchObject({ details: { file } });
      expect(await readFile(file, 'utf8')).toBe(text);
    }
  });

  it('[A11] is deleted with everything in it, and not while somebody works on it', async () => {
    const store = await createStore();
    const record = await createRun(store, sampleDraft(), { now });
    const paths = store.run(record);
    await mkdir(join(paths.journal, 'deep'), { recursive: true });
    await writeFile(join(paths.state, 'scratch.md'), 'x');
    const lock = await takeRunLock(paths.lock);
    await expect(deleteRun(store, record)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    expect(await readRunRecord(store, record)).toEqual(record);
    await lock.release();
    await deleteRun(store, record);
    expect(await readdir(store.runsFolder(record.projectId))).toEqual([]);
    for (const use of [deleteRun, readRunRecord])
      await expect(use(store, record)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  it('[A11] that is damaged can be deleted', async () => {
    const store = await createStore();
    const record = await createRun(store, sampleDraft(), { now });
    await writeFile(store.run(record).record, 'rubbish');
    await deleteRun(store, record);
    expect(await listRuns(store)).toEqual([]);
  });
});
