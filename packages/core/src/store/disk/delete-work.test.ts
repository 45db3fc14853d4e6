import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunRecord } from '@crewagent/protocol/run';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../../testing/driver-path.ts';
import { sampleConversation, sampleOutput } from '../../testing/sample-conversation.ts';
import { SAMPLE_PROJECT_ID, sampleDraft } from '../../testing/sample-record.ts';
import { readTree, tempFolder } from '../../testing/temp-folder.ts';
import { listConversations, listRuns } from '../find-works.ts';
import { type ConversationAddress, toAddress } from '../work-address.ts';
import { nounOf, toStored } from '../work-records.ts';
import { readWork } from './find-works.ts';
import { takeWorkLock } from './locks/work-lock.ts';
import { openRunLog } from './log/run-log.ts';
import { type DiskStore, openDiskStore } from './open-store.ts';
import { childrenOf, createWork, deleteWork } from './work-folders.ts';

const now = (): Date => new Date();

interface Scene {
  readonly store: DiskStore;
  readonly address: ConversationAddress;
  readonly runs: readonly RunRecord[];
  /** A run without a parent that the conversation entered. */
  readonly visited: RunRecord;
}

/** A conversation with everything that can belong to it, and other Works. */
async function scene(runCount = 3): Promise<Scene> {
  const store = openDiskStore(join(await tempFolder(), 'store'));
  const visited = await createWork(store, sampleDraft(), { now });
  const record = await createWork(store, sampleConversation(), { now });
  const address = toAddress(record);
  const { workId } = record;
  const runs: RunRecord[] = [];
  for (let count = 0; count < runCount; count++)
    runs.push(await createWork(store, sampleDraft({ parentId: workId }), { now }));
  const paths = store.work(address);
  const log = await openRunLog({ file: paths.log, outputs: paths.outputs, runId: workId, now });
  for (const { workId: enteredRunId } of [...runs, visited])
    log.append({ type: 'run.entered', enteredRunId, afterSeq: 0, title: 't' });
  log.append(sampleOutput(40_000));
  await log.close();
  await mkdir(join(paths.journal, 'blobs'), { recursive: true });
  await writeFile(join(paths.journal, 'journal.jsonl'), '{}');
  await writeFile(join(paths.state, 'notes.md'), workId);
  await writeFile(paths.stop, '');
  return { store, address, runs, visited };
}

/** All paths and contents in the store that contain one of these ids. */
async function mentionsOf(store: DiskStore, ids: readonly string[]): Promise<string[]> {
  const tree = Object.entries(await readTree(store.root));
  return tree
    .filter(([path, text]) => ids.some((id) => path.includes(id) || text.includes(id)))
    .map(([path]) => path);
}

const idsOf = ({ address, runs }: Scene): string[] => [address.workId, ...runs.map(({ workId }) => workId)];

describe('deleting a conversation', () => {
  it('[O7] deletes everything that belongs to it, and nothing else', async () => {
    const here = await scene();
    const { store, address, visited } = here;
    const other = await createWork(store, sampleConversation(), { now });
    const runOfOther = await createWork(store, sampleDraft({ parentId: other.workId }), { now });
    expect((await childrenOf(store, address)).map(({ workId }) => workId).sort()).toEqual(
      here.runs.map(({ workId }) => workId).sort(),
    );
    await deleteWork(store, address);
    expect(await mentionsOf(store, idsOf(here))).toEqual([]);
    const left = await listConversations(store);
    expect(left.map(({ workId }) => workId)).toEqual([other.workId]);
    const runsLeft = (await listRuns(store)).map(({ workId }) => workId);
    expect(runsLeft.sort()).toEqual([visited.workId, runOfOther.workId].sort());
    const names = [
      ...(await readdir(store.worksFolder(SAMPLE_PROJECT_ID, true))),
      ...(await readdir(store.worksFolder(SAMPLE_PROJECT_ID, false))),
    ];
    expect(names.filter((name) => name.startsWith('.'))).toEqual([]);
    for (const use of [deleteWork, readWork])
      await expect(use(store, address)).rejects.toMatchObject({ code: 'CONVERSATION_NOT_FOUND' });
  });

  it('[O7] works if its record is damaged, and includes runs with damaged records', async () => {
    const here = await scene(2);
    const { store, address, runs } = here;
    const [one, other] = runs as [RunRecord, RunRecord];
    const fileOf = (run: RunRecord): string => store.work(toAddress(run)).record;
    await writeFile(store.work(address).record, 'rubbish');
    await writeFile(fileOf(one), JSON.stringify({ ...toStored(one), schemaVersion: 9 }));
    await writeFile(fileOf(other), `${JSON.stringify(toStored(other)).slice(0, -9)}`);
    await deleteWork(store, address);
    expect(await mentionsOf(store, idsOf(here))).toEqual([]);
  });

  it('[O7] is rejected without changes while it or one of its runs is in use', async () => {
    const { store, address, runs } = await scene();
    const works = [address, ...runs.map((run) => toAddress(run))];
    const contents = async (): Promise<string[]> => {
      const tree = Object.entries(await readTree(store.root));
      return tree.filter(([path]) => !path.endsWith('lock')).map(([path, text]) => `${path}\n${text}`);
    };
    const before = await contents();
    for (const work of works) {
      const lock = await takeWorkLock(store, work);
      const deleting = deleteWork(store, address);
      await expect(deleting).rejects.toMatchObject({ code: 'RUN_LOCKED' });
      await expect(deleting).rejects.toThrow(
        `This process is working on this ${nounOf(work)}; wait for it, or stop it first.`,
      );
      expect(await contents()).toEqual(before);
      await lock.release();
    }
    // The rejected deletion holds no locks.
    for (const work of works) await (await takeWorkLock(store, work)).release();
  });

  it('[O7] can be repeated after it was interrupted', async () => {
    const driver = driverPath('conversation-driver');
    const runCount = 12;
    for (const rest of [runCount - 1, 6, 1, 0]) {
      const here = await scene(runCount);
      const { store, address } = here;
      const child = spawn(process.execPath, [driver, 'delete', store.root, address.workId], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = once(child, 'close');
      await once(child.stdout, 'data');
      while ((await childrenOf(store, address)).length > rest);
      child.kill('SIGKILL');
      await closed;
      const isThere = (await listConversations(store)).length === 1;
      if (isThere) await deleteWork(store, address);
      else await createWork(store, sampleConversation(), { now });
      expect(await mentionsOf(store, idsOf(here))).toEqual([]);
    }
  });

  it('[O7] that was interrupted is completed with the next Work, and what earlier versions left by a sweep', async () => {
    const store = openDiskStore(join(await tempFolder(), 'store'));
    const record = await createWork(store, sampleDraft(), { now });
    const folder = store.worksFolder(record.projectId, true);
    const staged = join(folder, '../.staged');
    const left = '.removing-999999999-0123456789abcdef';
    await mkdir(join(staged, left));
    await mkdir(join(folder, left));
    const next = await createWork(store, sampleDraft(), { now });
    expect(await readdir(staged)).toEqual([]);
    await store.works.sweep();
    expect(await readdir(folder)).toEqual([record.workId, next.workId].sort());
  });

  it('[O7] can be completed after an interruption at any point', async () => {
    const here = await scene(2);
    const { store, address, runs } = here;
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'close');
    // One run is renamed and not yet removed, the other was removed.
    const trashed = join(
      store.worksFolder(SAMPLE_PROJECT_ID, true),
      `.removing-${gone.pid}-0123456789abcdef`,
    );
    await mkdir(trashed);
    await writeFile(join(trashed, 'run.json'), JSON.stringify(toStored(runs[0] as RunRecord)));
    for (const run of runs) await rm(store.work(toAddress(run)).folder, { recursive: true });
    await deleteWork(store, address);
    expect(await mentionsOf(store, idsOf(here))).toEqual([]);
  });
});

describe('deleting a run', () => {
  it('[O7] deletes everything in it, and is rejected while it is in use', async () => {
    const store = openDiskStore(join(await tempFolder(), 'store'));
    const record = await createWork(store, sampleDraft(), { now });
    const address = toAddress(record);
    const paths = store.work(address);
    await mkdir(join(paths.journal, 'deep'), { recursive: true });
    await writeFile(join(paths.state, 'scratch.md'), 'x');
    const lock = await takeWorkLock(store, address);
    await expect(deleteWork(store, address)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    expect(await readWork(store, address)).toEqual(record);
    await lock.release();
    await deleteWork(store, address);
    expect(await readdir(store.worksFolder(record.projectId, true))).toEqual([]);
    for (const use of [deleteWork, readWork])
      await expect(use(store, address)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  it('[O7] works if it is damaged, and does not affect others', async () => {
    const { store, address, runs, visited } = await scene(2);
    const [one, other] = runs as [RunRecord, RunRecord];
    for (const run of [one, visited]) {
      await writeFile(store.work(toAddress(run)).record, 'rubbish');
      await deleteWork(store, toAddress(run));
    }
    expect((await listRuns(store)).map(({ record }) => record)).toEqual([other]);
    expect((await listConversations(store)).map(({ workId }) => workId)).toEqual([address.workId]);
  });
});
