import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toAddress } from '@crewagent/core/store';
import type { RunFact } from '@crewagent/protocol/events';
import type { WorkRecord } from '@crewagent/protocol/work';
import { describe, expect, it, vi } from 'vitest';
import { sampleDraft } from '../../../core/src/testing/sample-record.ts';
import { databaseWithProjects, openTestWorks } from '../testing/test-works.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
const warning = (message: string): RunFact => ({ type: 'warning', message });
/** Ends at once, and is not renewed: what a process that is frozen sees when it goes on. */
const FROZEN = { leaseMs: 1, renewEveryMs: 3_600_000 };

async function setUp() {
  const database = await databaseWithProjects();
  const [frozen, other] = [await openTestWorks(database, FROZEN), await openTestWorks(database)];
  const address = toAddress(await frozen.create(sampleDraft(), { now }));
  const lost = await frozen.lease(address);
  const log = await frozen.openLog(address, { now });
  const state = await frozen.stateFolder(address);
  log.append(warning('before'));
  await log.sync();
  const lease = await vi.waitFor(() => other.lease(address), { timeout: 20_000 });
  return { database, frozen, other, address, lost, log, state, lease };
}

describe('A worker that lost its lease', () => {
  it('writes no event, no state and no record', async () => {
    const { frozen, other, address, lost, log, state, lease } = await setUp();
    log.append(warning('too late'));
    await writeFile(join(state, 'workflow.md'), 'too late');
    await expect(log.sync()).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await expect(
      frozen.update(address, (record: WorkRecord) => ({
        ...record,
        updatedAt: now().toISOString(),
        phase: 'Failed',
      })),
    ).rejects.toMatchObject({ code: 'RUN_LOCKED' });

    const next = await other.openLog(address, { now });
    next.append(warning('from the next one'));
    await next.close();
    await expect(log.sync()).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await lost.release().catch(() => undefined);

    const messages: string[] = [];
    await other.readLog(address, (event) =>
      messages.push(event.type === 'warning' ? event.message : event.type),
    );
    expect(messages).toEqual(['before', 'from the next one']);
    expect((await other.read(address)).phase).toBe('WaitingUser');
    expect((await other.openState(address).read()).text).not.toContain('too late');
    expect(await other.isLeased(address)).toBe(true);
    await lease.release();
  });

  it('does not end the lease of its successor', async () => {
    const { other, address, lost, lease } = await setUp();
    await lost.release().catch(() => undefined);
    expect(await other.isLeased(address)).toBe(true);
    await expect(other.lease(address)).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    await lease.release();
  });
});

describe('Events and the files they tell of', () => {
  it('are stored by one commit, and files that no event tells of by the end of the lease', async () => {
    const database = await databaseWithProjects();
    const works = await openTestWorks(database);
    const address = toAddress(await works.create(sampleDraft(), { now }));
    const lease = await works.lease(address);
    const log = await works.openLog(address, { now });
    const folder = await works.stateFolder(address);
    await writeFile(join(folder, 'notes.txt'), 'x'.repeat(600_000));
    const stored = () =>
      database.read('select path from state_files where work_id = $1 order by path', [address.workId]);
    expect(await stored()).toEqual([{ path: 'workflow.md' }]);
    log.append(warning('written'));
    await log.sync();
    expect(await stored()).toEqual([{ path: 'notes.txt' }, { path: 'workflow.md' }]);
    await writeFile(join(folder, 'last.txt'), 'last');
    await log.close();
    await lease.release();
    expect(await stored()).toHaveLength(3);

    const reader = await openTestWorks(database);
    const copy = await reader.stateFolder(address);
    const { readFile } = await import('node:fs/promises');
    expect(await readFile(join(copy, 'notes.txt'), 'utf8')).toHaveLength(600_000);
    expect(await readFile(join(copy, 'last.txt'), 'utf8')).toBe('last');
  });

  it('stay when the folder of the worker is removed at the end of its lease, whatever is still to be stored', async () => {
    const database = await databaseWithProjects();
    const works = await openTestWorks(database);
    const address = toAddress(await works.create(sampleDraft(), { now }));
    const lease = await works.lease(address);
    const log = await works.openLog(address, { now });
    const folder = await works.stateFolder(address);
    // Removing them takes longer than a commit waits for further events, which come all the time.
    for (let index = 0; index < 3_000; index++) writeFileSync(join(folder, `note-${index}.txt`), '');
    log.append(warning('written'));
    await log.sync();
    const late = setInterval(() => void log.append(warning('late')), 2);
    await lease.release();
    clearInterval(late);
    await expect(log.sync()).rejects.toMatchObject({ code: 'RUN_LOCKED' });
    const [stored] = await database.read<{ count: string }>(
      'select count(*) from state_files where work_id = $1',
      [address.workId],
    );
    expect(Number(stored?.count)).toBe(3_001);
  });
});
