import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../../testing/driver-path.ts';
import { killCount } from '../../testing/kill-points.ts';
import { BOTH_KINDS, SAMPLE_FACTS, sampleConversation } from '../../testing/sample-conversation.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from '../../testing/sample-record.ts';
import { SAMPLE_STATE } from '../../testing/sample-run.ts';
import { readTree, tempFolder } from '../../testing/temp-folder.ts';
import { readWorkflowState } from '../../workflow/workflow-state.ts';
import { archiveConversation, renameConversation } from '../edit-work.ts';
import { listRuns } from '../find-works.ts';
import { toAddress } from '../work-address.ts';
import { listWorks, readWork } from './find-works.ts';
import { openRunLog, readRunLog } from './log/run-log.ts';
import { type DiskStore, openDiskStore } from './open-store.ts';
import { createWork } from './work-folders.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
const later = (): Date => new Date('2026-01-31T10:00:00.000Z');
const createStore = async (): Promise<DiskStore> => openDiskStore(join(await tempFolder(), 'store'));

async function storeWithConversation() {
  const store = await createStore();
  const record = await createWork(store, sampleConversation(), { now });
  return { store, record, address: toAddress(record) };
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('a run', () => {
  it('[O1] is created completely and for its owner only', async () => {
    const store = await createStore();
    const record = await createWork(store, sampleDraft(), { now });
    expect(await readWork(store, toAddress(record))).toEqual(record);
    expect(record).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'interrupted' },
      createdAt: '2026-01-31T09:30:00.000Z',
      packageHash: 'a'.repeat(64),
    });
    const paths = store.work(toAddress(record));
    expect(Object.keys(await readTree(paths.folder)).sort()).toEqual([
      'logs/',
      'logs/execution.jsonl',
      'run.json',
      'state/',
      'state/workflow.md',
    ]);
    if (process.platform === 'win32') return;
    for (const folder of [store.root, store.projectsFolder, paths.folder, paths.state, dirname(paths.log)])
      expect(await modeOf(folder)).toBe(0o700);
    for (const file of [paths.record, paths.stateDocument, paths.log]) expect(await modeOf(file)).toBe(0o600);
  });

  it('[A14] starts with the state document of its package', async () => {
    const store = await createStore();
    const record = await createWork(store, sampleDraft(), { now });
    const text = await readFile(store.work(toAddress(record)).stateDocument, 'utf8');
    expect(await readWorkflowState(text)).toMatchObject({
      ok: true,
      state: { runId: record.workId, activeAgentId: 'analyst', currentNodeId: 'step-01', stepsCompleted: [] },
    });
    expect(text.endsWith(SAMPLE_STATE.slice(SAMPLE_STATE.lastIndexOf('---')))).toBe(true);
  });

  it('[A14] with an invalid state document is not created', async () => {
    const store = await createStore();
    const draft = sampleDraft({ stateTemplate: '---\nworkflowType: x\n---\n' });
    await expect(createWork(store, draft, { now })).rejects.toMatchObject({ code: 'PACKAGE_INVALID' });
    expect(await listRuns(store)).toEqual([]);
  });

  it('[O1] can be created with the first line of its log', async () => {
    const store = await createStore();
    const record = await createWork(store, sampleDraft({ firstFacts: [{ type: 'run.resumed' }] }), { now });
    const { log: file } = store.work(toAddress(record));
    const log = await openRunLog({ file, runId: record.workId, now });
    expect([log.lastSeq, log.brokenAt]).toEqual([1, undefined]);
    await log.close();
  });
});

describe.each(BOTH_KINDS)('a %s', (noun, create) => {
  const isRun = noun === 'run';

  it('[O1] is never visible if its creation was killed, and is swept by the next creation', async () => {
    const [driver, work, kills, lastSeq] = isRun
      ? ['store-driver', 'create runs forever', 9, 1]
      : ['conversation-driver', 'create forever', 6, 2];
    const store = await createStore();
    const reported = new Set<string>();
    for (let kill = 0; kill < killCount(kills); kill++) {
      const child = spawn(process.execPath, [driverPath(driver), work, store.root], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      for (let data = 0; data < 1 + kill; data++) await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'close');
      for (const id of text.split('\n').slice(0, -1)) reported.add(id);
      const found = await listWorks(store);
      for (const { record, problem, ...address } of found) {
        expect(problem).toBeUndefined();
        expect(record && toAddress(record)).toEqual(address);
        const paths = store.work(address);
        expect(await readRunLog(paths.log, () => undefined)).toEqual({ lastSeq, isIntact: true });
        expect((await stat(paths.state)).isDirectory()).toBe(true);
        if (!isRun) continue;
        const state = await readWorkflowState(await readFile(paths.stateDocument, 'utf8'));
        expect(state.ok).toBe(true);
      }
      expect(found.map(({ workId }) => workId)).toEqual(expect.arrayContaining([...reported]));
    }
    const { workId } = await create(store, { now: () => new Date() });
    const names = await readdir(store.worksFolder(SAMPLE_PROJECT_ID, isRun));
    expect(names.filter((name) => name.startsWith('.'))).toEqual([]);
    expect(names).toContain(workId);
  });
});

describe('a conversation', () => {
  it('[O1] is created completely and for its owner only, in phase WaitingUser', async () => {
    const { store, record, address } = await storeWithConversation();
    expect(await readWork(store, address)).toEqual(record);
    expect(record).toMatchObject({ schemaVersion: 1, title: '', phase: 'WaitingUser', kind: 'agent' });
    expect(record.reason).toBeUndefined();
    expect([record.createdAt, record.updatedAt]).toEqual([now().toISOString(), now().toISOString()]);
    const paths = store.work(address);
    expect(paths.folder).toBe(
      join(store.root, 'projects', SAMPLE_PROJECT_ID, 'conversations', record.workId),
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
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([record.workId]));
    if (process.platform === 'win32') return;
    for (const folder of [store.worksFolder(SAMPLE_PROJECT_ID, false), paths.folder, paths.state])
      expect(await modeOf(folder)).toBe(0o700);
    for (const file of [paths.record, paths.log]) expect(await modeOf(file)).toBe(0o600);
  });

  const titles: [given: string, stored: string][] = [
    ['  The harbour  ', 'The harbour'],
    ['Two\nlines\tof it', 'Two lines of it'],
    ['\u001b[31mred\u202e', '[31mred'],
    ['港口', '港口'],
    ['🚢'.repeat(120), '🚢'.repeat(120)],
  ];
  it.each(titles)('[V32] can be renamed by a person: %j', async (given, stored) => {
    const { store, record, address } = await storeWithConversation();
    const renamed = await renameConversation(store.works, address, given);
    expect(renamed).toEqual({ ...record, title: stored, isRenamed: true });
    expect(await readWork(store, address)).toEqual(renamed);
  });

  it.each(['', ' \n ', '\u200b', 'x'.repeat(121)])('[V32] rejects the title %j', async (title) => {
    const { store, record, address } = await storeWithConversation();
    await expect(renameConversation(store.works, address, title)).rejects.toMatchObject({ code: 'USAGE' });
    expect(await readWork(store, address)).toEqual(record);
  });

  it('[V32] is archived and restored with nothing else changed', async () => {
    const { store, record, address } = await storeWithConversation();
    const archived = await archiveConversation(store.works, address, true, later);
    expect(archived).toEqual({ ...record, archivedAt: later().toISOString() });
    expect(await archiveConversation(store.works, address, true, now)).toEqual(archived);
    expect(await readWork(store, address)).toEqual(archived);
    for (let time = 0; time < 2; time++)
      expect(await archiveConversation(store.works, address, false, later)).toEqual(record);
    expect(await readWork(store, address)).toEqual(record);
  });
});
