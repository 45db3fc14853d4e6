import { chmod, mkdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toAddress } from '@crewagent/core/store';
import type { HeldChanges } from '@crewagent/protocol/held-changes';
import { expect, it, vi } from 'vitest';
import { sampleDraft } from '../../../core/src/testing/sample-record.ts';
import { collectGarbage } from '../blobs/collect-garbage.ts';
import { databaseWithProjects, openTestWorks } from '../testing/test-works.ts';

const now = (): Date => new Date('2026-01-31T09:30:00.000Z');
const ask = { isRemoved: false, isFolder: false };
const HELD: HeldChanges = {
  v: 1,
  callId: 'call',
  tool: 'shell.run',
  result: { ok: true },
  effect: {},
  asked: [
    { path: 'bin', isRemoved: false, isFolder: true },
    { path: 'bin/tool', ...ask },
    { path: 'latest', ...ask },
    { path: 'old.txt', isRemoved: true, isFolder: false },
  ],
};
const NAME = 'commands/.view-1-a';

it('changes that wait for an approval outlive their worker, and are forgotten when they are decided', async () => {
  const database = await databaseWithProjects();
  const dies = await openTestWorks(database, { leaseMs: 1, renewEveryMs: 3_600_000 });
  const address = toAddress(await dies.create(sampleDraft(), { now }));
  await dies.lease(address);
  const log = await dies.openLog(address, { now });
  const view = join(dies.viewsFolder(address), NAME);
  await mkdir(join(view, 'upper/bin'), { recursive: true });
  await writeFile(join(view, 'upper/bin/tool'), '#!/bin/sh\n');
  await chmod(join(view, 'upper/bin/tool'), 0o755);
  await symlink('bin/tool', join(view, 'upper/latest'));
  await writeFile(join(view, 'held.json'), JSON.stringify(HELD));
  log.append({ type: 'warning', message: 'asks' });
  await log.sync();

  const next = await openTestWorks(database);
  const lease = await vi.waitFor(() => next.lease(address), { timeout: 20_000 });
  const restored = join(next.viewsFolder(address), NAME);
  expect(restored).not.toBe(view);
  expect(JSON.parse(await readFile(join(restored, 'held.json'), 'utf8'))).toEqual(HELD);
  expect(await readFile(join(restored, 'upper/bin/tool'), 'utf8')).toBe('#!/bin/sh\n');
  expect((await stat(join(restored, 'upper/bin/tool'))).mode & 0o777).toBe(0o755);
  expect(await readlink(join(restored, 'upper/latest'))).toBe('bin/tool');
  expect(await collectGarbage(database, { graceHours: 0 })).toBe(0);

  await rm(restored, { recursive: true });
  const nextLog = await next.openLog(address, { now });
  nextLog.append({ type: 'warning', message: 'decided' });
  await nextLog.sync();
  expect(await database.read('select from held_views')).toEqual([]);
  await lease.release();
});

it('a worker that lost its lease holds nothing', async () => {
  const database = await databaseWithProjects();
  const frozen = await openTestWorks(database, { leaseMs: 1, renewEveryMs: 3_600_000 });
  const address = toAddress(await frozen.create(sampleDraft(), { now }));
  await frozen.lease(address);
  const log = await frozen.openLog(address, { now });
  const next = await openTestWorks(database);
  const lease = await vi.waitFor(() => next.lease(address), { timeout: 20_000 });
  const view = join(frozen.viewsFolder(address), NAME);
  await mkdir(join(view, 'upper'), { recursive: true });
  await writeFile(join(view, 'held.json'), JSON.stringify({ ...HELD, asked: [] }));
  log.append({ type: 'warning', message: 'too late' });
  await expect(log.sync()).rejects.toMatchObject({ code: 'RUN_LOCKED' });
  expect(await database.read('select from held_views')).toEqual([]);
  await lease.release();
});
