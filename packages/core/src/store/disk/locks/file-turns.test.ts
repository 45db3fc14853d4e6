import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../../../testing/driver-path.ts';
import { tempFolder } from '../../../testing/temp-folder.ts';
import { openDiskStore } from '../open-store.ts';
import { lockFile } from './file-lock.ts';
import { holdFile, takeTurn } from './file-turns.ts';

const now = (): Date => new Date();

function drive(...args: readonly string[]): Promise<number | null> {
  const child = spawn(process.execPath, [driverPath('store-driver'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve) => void child.once('exit', resolve));
}

describe('changing a document of the store', () => {
  it('[A23] 200 projects that one process creates at once are all there', async () => {
    const root = await tempFolder();
    const { projects } = openDiskStore(join(root, 'store'));
    const folders = Array.from({ length: 200 }, (_, index) => join(root, `project-${index}`));
    for (const folder of folders) mkdirSync(folder);
    await Promise.all(folders.map((folder) => projects.open(folder, { now })));
    expect((await projects.list()).map(({ path }) => path).sort()).toEqual([...folders].sort());
  });

  it('[A23] settings that several stores of one process change at once are all there', async () => {
    const root = await tempFolder();
    const stores = Array.from({ length: 20 }, () => openDiskStore(root));
    await Promise.all(
      stores.map(({ settings }, index) =>
        settings.update({ inputs: { person: { [`q${index}`]: String(index) } } }),
      ),
    );
    expect(Object.keys((await stores[0]?.settings.load())?.inputs.person ?? {})).toHaveLength(20);
  });

  it('[A23] 20 processes that create 10 projects each all succeed, and nothing is lost', async () => {
    const root = await tempFolder();
    const store = join(root, 'store');
    const codes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const folders = Array.from({ length: 10 }, (_unused, number) => join(root, `${index}-${number}`));
        for (const folder of folders) mkdirSync(folder);
        return drive('open projects', store, ...folders);
      }),
    );
    expect(codes).toEqual(Array(20).fill(0));
    expect(await openDiskStore(store).projects.list()).toHaveLength(200);
  }, 240_000);

  it('[A23] 50 changes at once all get their turn without locks of the operating system, too', async () => {
    const file = join(await tempFolder(), 'projects.json.lock');
    let holders = 0;
    const change = async (): Promise<boolean> => {
      const attempt = await lockFile(file, { isClaimsOnly: true, waitMs: 50_000 });
      if (!attempt.isAccepted) return false;
      expect(++holders).toBe(1);
      await setImmediate();
      holders--;
      await attempt.lock.release();
      return true;
    };
    expect(await Promise.all(Array.from({ length: 50 }, change))).toEqual(Array(50).fill(true));
    expect(readdirSync(`${file}.claims`)).toEqual([]);
  });

  it('[A23] a process that holds the lock is named after a second, and then waited for', async () => {
    const file = join(await tempFolder(), 'projects.json');
    const attempt = await lockFile(`${file}.lock`);
    if (!attempt.isAccepted) throw new Error('the lock is free');
    const said: string[] = [];
    const onWait = (message: string): void => {
      said.push(message);
      void attempt.lock.release();
    };
    expect(await takeTurn(file, async () => 'changed', { onWait })).toBe('changed');
    expect(said).toEqual([`Waiting for process ${process.pid}, which is writing projects.json.`]);
  });

  it('[A23] after the deadline, every change that waits fails with one sentence, and the next one succeeds', async () => {
    const file = join(await tempFolder(), 'projects.json');
    const attempt = await lockFile(`${file}.lock`);
    if (!attempt.isAccepted) throw new Error('the lock is free');
    const changes = [1, 2, 3].map(() => takeTurn(file, async () => 'changed', { waitMs: 100 }));
    for (const { status, reason } of (await Promise.allSettled(changes)) as PromiseRejectedResult[]) {
      expect(status).toBe('rejected');
      expect(String(reason)).toContain(`process ${process.pid} has been writing it for`);
    }
    await attempt.lock.release();
    expect(await takeTurn(file, async () => 'changed', {})).toBe('changed');
  });

  it('[A23] a change that fails does not affect the others', async () => {
    const file = join(await tempFolder(), 'projects.json');
    const outcomes = await Promise.allSettled([
      takeTurn(file, async () => 1, {}),
      takeTurn(file, () => Promise.reject(new Error('no')), {}),
      takeTurn(file, async () => 3, {}),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('[A23] many hold it at the same time, and a change waits for all of them', async () => {
    const file = join(await tempFolder(), 'projects.json');
    let hold: () => void = () => undefined;
    const bothHold = new Promise<void>((resolve) => {
      hold = resolve;
    });
    let holders = 0;
    let isChanged = false;
    const holdBoth = (): Promise<boolean> =>
      holdFile(
        file,
        async () => {
          if (++holders === 2) hold();
          await bothHold;
          return isChanged;
        },
        {},
      );
    const held = [holdBoth(), holdBoth()];
    await bothHold;
    const change = takeTurn(
      file,
      async () => {
        isChanged = true;
      },
      {},
    );
    expect(await Promise.all(held)).toEqual([false, false]);
    await change;
    expect(isChanged).toBe(true);
  });
});
