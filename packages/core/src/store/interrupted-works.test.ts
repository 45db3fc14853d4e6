import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { WorkRecord } from '@crewagent/protocol/work';
import { describe, expect, it } from 'vitest';
import { BOTH_KINDS, sampleConversation, sampleOutput } from '../testing/sample-conversation.ts';
import { sampleDraft } from '../testing/sample-record.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { readWork, updateWork } from './disk/find-works.ts';
import { takeWorkLock } from './disk/locks/work-lock.ts';
import { openRunLog, readRunLog } from './disk/log/run-log.ts';
import { type DiskStore, openDiskStore } from './disk/open-store.ts';
import { createWork } from './disk/work-folders.ts';
import { archiveConversation, renameConversation } from './edit-work.ts';
import { sweepInterrupted } from './interrupted-works.ts';
import { toAddress } from './work-address.ts';
import { withPhase } from './work-records.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
const later = (): Date => new Date('2026-01-31T10:00:00.000Z');
const running: RunFact = { type: 'phase.changed', phase: 'Running' };

const createStore = async (): Promise<DiskStore> => openDiskStore(join(await tempFolder(), 'store'));
const sweep = (store: DiskStore): Promise<WorkRecord[]> => sweepInterrupted(store.works, { now: later });

/** Sets the phase of the record to Running and appends these facts to the log. */
async function leaveRunning<Entry extends WorkRecord>(
  store: DiskStore,
  record: Entry,
  facts: readonly RunFact[] = [],
): Promise<Entry> {
  const address = toAddress(record);
  const { log: file, outputs } = store.work(address);
  const log = await openRunLog({ file, outputs, runId: record.workId, now });
  for (const fact of facts) log.append(fact);
  await log.close();
  await updateWork(store, address, (current) => withPhase(current, 'Running', undefined));
  return withPhase(record, 'Running', undefined);
}

const leaveRun = async (store: DiskStore, facts: readonly RunFact[] = []) =>
  leaveRunning(store, await createWork(store, sampleDraft(), { now }), facts);

const leaveThread = async (store: DiskStore, facts: readonly RunFact[] = []) =>
  leaveRunning(store, await createWork(store, sampleConversation(), { now }), facts);

async function eventsOf(store: DiskStore, record: WorkRecord): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const { log, outputs } = store.work(toAddress(record));
  const { isIntact } = await readRunLog(log, (event) => events.push(event), { outputs });
  expect(isIntact).toBe(true);
  return events;
}

/** The record as `sweepInterrupted` leaves it. */
function interrupted(record: WorkRecord): WorkRecord {
  const noun = record.workflowRef !== undefined ? 'run' : 'conversation';
  const reason = {
    code: 'interrupted',
    message: `The process that worked on this ${noun} ended in the middle of it.`,
  } as const;
  const updatedAt = record.workflowRef !== undefined ? later().toISOString() : record.updatedAt;
  return { ...withPhase(record, 'WaitingUser', reason), updatedAt };
}

describe.each(BOTH_KINDS)('an interrupted %s', (_, create) => {
  const leave = async (store: DiskStore, facts: readonly RunFact[] = []): Promise<WorkRecord> =>
    leaveRunning(store, await create(store, { now }), facts);

  it.each([{ type: 'run.resumed' } as const, running])(
    '[A12] is set to WaitingUser in its log and its record: %j',
    async (fact) => {
      const store = await createStore();
      const left = await leave(store, [fact]);
      const before = await eventsOf(store, left);
      const found = await sweep(store);
      expect(found).toEqual([interrupted(left)]);
      expect(await readWork(store, toAddress(left))).toEqual(found[0]);
      const events = await eventsOf(store, left);
      expect(events.slice(0, -1)).toEqual(before);
      expect(events.at(-1)).toMatchObject({
        type: 'phase.changed',
        phase: 'WaitingUser',
        reason: { code: 'interrupted' },
        runId: left.workId,
      });
      expect(await sweep(store)).toEqual([]);
      expect(await eventsOf(store, left)).toEqual(events);
    },
  );

  it('[A12] is not changed while it is leased, or if its phase is not Running', async () => {
    const store = await createStore();
    const busy = await leave(store, [running]);
    const waiting = await create(store, { now });
    const lock = await takeWorkLock(store, toAddress(busy));
    expect(await sweep(store)).toEqual([]);
    expect(await readWork(store, toAddress(busy))).toEqual(busy);
    await lock.release();
    expect((await sweep(store)).map(({ workId }) => workId)).toEqual([busy.workId]);
    expect(await readWork(store, toAddress(waiting))).toEqual(waiting);
  });

  it('[A12] gets the phase at the end of its log, if that is a stop', async () => {
    const store = await createStore();
    const reason = { code: 'reply', message: '' } as const;
    const stop: RunFact = { type: 'phase.changed', phase: 'WaitingUser', reason };
    const done = await leave(store, [{ type: 'phase.changed', phase: 'Completed' }]);
    const stopped = await leave(store, [running, stop]);
    const resumed = await leave(store, [stop, { type: 'run.resumed' }]);
    const before = await Promise.all([done, stopped].map((record) => eventsOf(store, record)));
    expect((await sweep(store)).map(({ workId }) => workId)).toEqual([resumed.workId]);
    const { updatedAt } = interrupted(done);
    expect(await readWork(store, toAddress(done))).toEqual({ ...done, phase: 'Completed', updatedAt });
    expect(await readWork(store, toAddress(stopped))).toEqual({
      ...stopped,
      phase: 'WaitingUser',
      reason,
      updatedAt,
    });
    expect(await Promise.all([done, stopped].map((record) => eventsOf(store, record)))).toEqual(before);
  });
});

describe('an interrupted run', () => {
  it('[A12] does not block the sweep of others if its log cannot be opened', async () => {
    const store = await createStore();
    const [one, other] = [await leaveRun(store), await leaveRun(store)];
    const thread = await leaveThread(store, [running]);
    const { log, folder } = store.work(toAddress(one));
    await rename(dirname(log), join(folder, 'elsewhere'));
    await writeFile(dirname(log), 'a file');
    const problems: string[] = [];
    const found = await sweepInterrupted(store.works, {
      now: later,
      onProblem: (id, error) => problems.push(`${id} ${error.code}`),
    });
    expect(found.map(({ workId }) => workId).sort()).toEqual([other.workId, thread.workId].sort());
    expect(problems).toEqual([`${one.workId} DISK`]);
    expect(await readWork(store, toAddress(one))).toEqual(one);
    await expect(readFile(log)).rejects.toThrow();
  });
});

describe('an interrupted conversation', () => {
  it('[A12] is set to WaitingUser even if it is archived, or its log is long', async () => {
    const store = await createStore();
    const left = await leaveThread(store, [running, sampleOutput(40_000)]);
    const archived = await leaveThread(store, [running]);
    await archiveConversation(store.works, toAddress(archived), true, now);
    const found = await sweep(store);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual(interrupted(left));
    expect(found).toContainEqual({ ...interrupted(archived), archivedAt: now().toISOString() });
    expect((await eventsOf(store, left)).at(-1)).toMatchObject({
      type: 'phase.changed',
      phase: 'WaitingUser',
    });
    expect(await sweep(store)).toEqual([]);
  });

  it('[A12] keeps a title set meanwhile, and incomplete Works are swept', async () => {
    const store = await createStore();
    const left = await leaveThread(store, [running]);
    const address = toAddress(left);
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'close');
    const folder = store.worksFolder(left.projectId, false);
    await mkdir(join(folder, `.creating-${gone.pid}-0123456789abcdef`));
    await Promise.all([sweep(store), renameConversation(store.works, address, 'Mine')]);
    expect(await readWork(store, address)).toMatchObject({ title: 'Mine', phase: 'WaitingUser' });
    expect(await readdir(folder)).toEqual([left.workId]);
  });
});
