import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { driverPath } from '../../../testing/driver-path.ts';
import { SAMPLE_RUN } from '../../../testing/sample-record.ts';
import { tempFolder } from '../../../testing/temp-folder.ts';
import { readRunLog } from '../log/run-log.ts';
import { type DiskStore, openDiskStore } from '../open-store.ts';
import { tryKernelLock } from './open-lock.ts';
import { isWorkLocked, takeWorkLock } from './work-lock.ts';

/** A store with the empty folder of a run. */
async function createStore(): Promise<DiskStore> {
  const store = openDiskStore(await tempFolder());
  await mkdir(store.work(SAMPLE_RUN).folder, { recursive: true });
  return store;
}

async function holdElsewhere(driver: string, store: DiskStore, kind: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [driver, 'hold lock', store.root, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'close');
}

const kinds: [name: string, isClaimsOnly: boolean][] = [
  ['kernel', false],
  ['claims', true],
];

describe.each(kinds)('the lock of a Work, by %s', (kind, isClaimsOnly) => {
  it('[O6] can be held once in a process', async () => {
    const store = await createStore();
    expect(await isWorkLocked(store, SAMPLE_RUN, { isClaimsOnly })).toBe(false);
    const lock = await takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly });
    expect(await isWorkLocked(store, SAMPLE_RUN, { isClaimsOnly })).toBe(true);
    await expect(takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly })).rejects.toMatchObject({
      code: 'RUN_LOCKED',
      message: 'This process is working on this run; wait for it, or stop it first.',
      details: { pid: process.pid },
    });
    await lock.release();
    await lock.release();
    expect(await isWorkLocked(store, SAMPLE_RUN, { isClaimsOnly })).toBe(false);
    await (await takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly })).release();
  });

  it('[O6] names the other process that holds it, and is free when that is killed', async () => {
    const driver = driverPath('store-driver');
    const store = await createStore();
    for (let round = 0; round < 3; round++) {
      const child = await holdElsewhere(driver, store, kind);
      expect(await isWorkLocked(store, SAMPLE_RUN, { isClaimsOnly })).toBe(true);
      await expect(takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly })).rejects.toMatchObject({
        code: 'RUN_LOCKED',
        message: `Another process (${child.pid}) is working on this run; wait for it, or stop it first.`,
      });
      await killed(child);
      expect(await isWorkLocked(store, SAMPLE_RUN, { isClaimsOnly })).toBe(false);
      await (await takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly })).release();
    }
  });

  it('[O6] is held by one of many processes at a time', async () => {
    const driver = driverPath('store-driver');
    const store = await createStore();
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [driver, 'share lock', store.root, kind], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    const exits = await Promise.all(children.map((child) => once(child, 'close')));
    expect(exits).toEqual(children.map(() => [0, null]));
    const writers: string[] = [];
    const { isIntact, lastSeq } = await readRunLog(`${store.work(SAMPLE_RUN).lock}.log`, ({ runId }) =>
      writers.push(runId),
    );
    expect([isIntact, lastSeq]).toEqual([true, 160]);
    // The two events of each holder are adjacent.
    for (let at = 0; at < writers.length; at += 2) expect(writers[at]).toBe(writers[at + 1]);
  });

  it('[O6] can be taken while others probe it', async () => {
    const store = await createStore();
    let isDone = false;
    const probes = Array.from({ length: 4 }, async () => {
      while (!isDone) await isWorkLocked(store, SAMPLE_RUN, { isClaimsOnly });
    });
    for (let round = 0; round < 100; round++)
      await (await takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly })).release();
    isDone = true;
    await Promise.all(probes);
  });

  it('[O7] of a deleted run cannot be taken', async () => {
    const store = await createStore();
    const { folder } = store.work(SAMPLE_RUN);
    const lock = await takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly });
    await rename(folder, `${folder}-deleted`);
    await expect(takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
    await lock.release();
    expect(await isWorkLocked(store, SAMPLE_RUN, { isClaimsOnly })).toBe(false);
  });
});

describe('locks of both kinds', () => {
  it('[O6] the operating system holds the lock if it can', async () => {
    const { lock: file } = (await createStore()).work(SAMPLE_RUN);
    const [one, other] = [await open(file, 'w'), await open(file, 'r+')];
    try {
      expect(tryKernelLock(one.fd, { isShared: false })).toBe('taken');
      expect(tryKernelLock(other.fd, { isShared: false })).toBe('held');
      expect(tryKernelLock(other.fd, { isShared: true })).toBe('held');
    } finally {
      await one.close();
      expect(tryKernelLock(other.fd, { isShared: false })).toBe('taken');
      await other.close();
    }
  });

  it('[O6] exclude each other', async () => {
    const store = await createStore();
    for (const first of [true, false]) {
      const lock = await takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly: first });
      expect(await isWorkLocked(store, SAMPLE_RUN, { isClaimsOnly: !first })).toBe(true);
      await expect(takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly: !first })).rejects.toMatchObject({
        code: 'RUN_LOCKED',
      });
      await lock.release();
    }
    await (await takeWorkLock(store, SAMPLE_RUN)).release();
  });

  it('[O6] a claim of a dead process, or of an earlier one with the same pid, is void', async () => {
    const store = await createStore();
    const claims = `${store.work(SAMPLE_RUN).lock}.claims`;
    await mkdir(claims);
    const id = '01890a5d-ac96-774b-bcce-b302099a8057';
    await writeFile(join(claims, `999999999--${id}`), '');
    if (process.platform === 'linux') await writeFile(join(claims, `${process.pid}-1-${id}`), '');
    await writeFile(join(claims, 'not a claim'), '');
    for (const isClaimsOnly of [true, false]) {
      const lock = await takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly });
      await lock.release();
    }
    expect(await readdir(claims)).toEqual(['not a claim']);
  });

  it('[O6] the holder recorded by a killed process is ignored', async () => {
    const store = await createStore();
    const { lock: file } = store.work(SAMPLE_RUN);
    for (const note of [
      'rubbish',
      '{"pid":999999999,"since":"x"}',
      `{"pid":${process.pid},"start":"1","since":""}`,
    ]) {
      await writeFile(file, note);
      expect(await isWorkLocked(store, SAMPLE_RUN)).toBe(false);
      await (await takeWorkLock(store, SAMPLE_RUN)).release();
      expect(await readFile(file, 'utf8')).toBe('');
    }
  });
});
