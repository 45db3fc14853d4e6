import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { tryKernelLock } from './kernel-lock.ts';
import { isRunLocked, takeRunLock } from './run-lock.ts';
import { readRunLog } from './run-log.ts';

const lockFile = async (): Promise<string> => join(await tempFolder(), 'lock');

async function holdElsewhere(driver: string, file: string, kind: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [driver, 'hold lock', file, kind], {
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

describe.each(kinds)('the lock of a run, by %s', (kind, isClaimsOnly) => {
  it('[A1] is held once in a process', async () => {
    const file = await lockFile();
    expect(await isRunLocked(file, { isClaimsOnly })).toBe(false);
    const lock = await takeRunLock(file, { isClaimsOnly });
    expect(await isRunLocked(file, { isClaimsOnly })).toBe(true);
    await expect(takeRunLock(file, { isClaimsOnly })).rejects.toMatchObject({
      code: 'RUN_LOCKED',
      message: 'This process is working on this run; wait for it, or stop it first.',
      details: { pid: process.pid },
    });
    await lock.release();
    await lock.release();
    expect(await isRunLocked(file, { isClaimsOnly })).toBe(false);
    await (await takeRunLock(file, { isClaimsOnly })).release();
  });

  it('[A1] [A2] names another process that holds it, and is free when that is killed', async () => {
    const driver = driverPath('store-driver');
    const file = await lockFile();
    for (let round = 0; round < 3; round++) {
      const child = await holdElsewhere(driver, file, kind);
      expect(await isRunLocked(file, { isClaimsOnly })).toBe(true);
      await expect(takeRunLock(file, { isClaimsOnly })).rejects.toMatchObject({
        code: 'RUN_LOCKED',
        message: `Another process (${child.pid}) is working on this run; wait for it, or stop it first.`,
      });
      await killed(child);
      expect(await isRunLocked(file, { isClaimsOnly })).toBe(false);
      await (await takeRunLock(file, { isClaimsOnly })).release();
    }
  });

  it('[A1] lets one of many processes in at a time', async () => {
    const driver = driverPath('store-driver');
    const file = await lockFile();
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [driver, 'share lock', file, kind], { stdio: ['ignore', 'ignore', 'inherit'] }),
    );
    const exits = await Promise.all(children.map((child) => once(child, 'close')));
    expect(exits).toEqual(children.map(() => [0, null]));
    const writers: string[] = [];
    const { isIntact, lastSeq } = await readRunLog(`${file}.log`, ({ runId }) => writers.push(runId));
    expect([isIntact, lastSeq]).toEqual([true, 160]);
    // Each holder wrote two events with nobody between.
    for (let at = 0; at < writers.length; at += 2) expect(writers[at]).toBe(writers[at + 1]);
  });

  it('[A4] is taken while others look whether it is', async () => {
    const file = await lockFile();
    let isDone = false;
    const looking = Array.from({ length: 4 }, async () => {
      while (!isDone) await isRunLocked(file, { isClaimsOnly });
    });
    for (let round = 0; round < 100; round++) await (await takeRunLock(file, { isClaimsOnly })).release();
    isDone = true;
    await Promise.all(looking);
  });

  it('[A11] of a run that is gone is not there to take', async () => {
    const folder = join(await tempFolder(), 'run');
    await mkdir(folder);
    const lock = await takeRunLock(join(folder, 'lock'), { isClaimsOnly });
    await rename(folder, `${folder}-deleted`);
    await expect(takeRunLock(join(folder, 'lock'), { isClaimsOnly })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    });
    await lock.release();
    expect(await isRunLocked(join(folder, 'lock'), { isClaimsOnly })).toBe(false);
  });
});

describe('locks of both kinds', () => {
  it('[A1] the system keeps the lock where this machine can', async () => {
    const file = await lockFile();
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

  it('[A3] exclude each other', async () => {
    const file = await lockFile();
    for (const first of [true, false]) {
      const lock = await takeRunLock(file, { isClaimsOnly: first });
      expect(await isRunLocked(file, { isClaimsOnly: !first })).toBe(true);
      await expect(takeRunLock(file, { isClaimsOnly: !first })).rejects.toMatchObject({ code: 'RUN_LOCKED' });
      await lock.release();
    }
    await (await takeRunLock(file)).release();
  });

  it('[A3] a claim of a dead process, or of an earlier one with the same number, holds nothing', async () => {
    const file = await lockFile();
    const claims = `${file}.claims`;
    await mkdir(claims);
    const id = '01890a5d-ac96-774b-bcce-b302099a8057';
    await writeFile(join(claims, `999999999--${id}`), '');
    if (process.platform === 'linux') await writeFile(join(claims, `${process.pid}-1-${id}`), '');
    await writeFile(join(claims, 'not a claim'), '');
    for (const isClaimsOnly of [true, false]) {
      const lock = await takeRunLock(file, { isClaimsOnly });
      await lock.release();
    }
    expect(await readdir(claims)).toEqual(['not a claim']);
  });

  it('[A2] a note that a killed process left says nothing', async () => {
    const file = await lockFile();
    for (const note of [
      'rubbish',
      '{"pid":999999999,"since":"x"}',
      `{"pid":${process.pid},"start":"1","since":""}`,
    ]) {
      await writeFile(file, note);
      expect(await isRunLocked(file)).toBe(false);
      await (await takeRunLock(file)).release();
      expect(await readFile(file, 'utf8')).toBe('');
    }
  });
});
