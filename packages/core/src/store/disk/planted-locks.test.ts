import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SAMPLE_RUN } from '../../testing/sample-record.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { lockFile } from './locks/file-lock.ts';
import { requestStop } from './locks/stop-request.ts';
import { isWorkLocked, takeWorkLock } from './locks/work-lock.ts';
import { type DiskStore, openDiskStore } from './open-store.ts';
import { claimServer, findServer } from './server/server-claim.ts';

const TEXT = 'what a person wrote\n';
const REFUSAL = { code: 'STORE_REFUSED' };

/** A store with the empty folder of a run. */
async function storeWithRun(): Promise<{ store: DiskStore; folder: string }> {
  const store = openDiskStore(await tempFolder());
  const { folder } = store.work(SAMPLE_RUN);
  await mkdir(folder, { recursive: true });
  return { store, folder };
}

interface Planted {
  readonly folder: string;
  readonly link: string;
  readonly victim: string;
}

/** A folder with a file of the user, and a link to it with the name of a lock. */
async function plantLink(name: string, given?: string): Promise<Planted> {
  const folder = given ?? (await tempFolder());
  const [link, victim] = [join(folder, name), join(folder, 'victim.txt')];
  await writeFile(victim, TEXT);
  await symlink(victim, link);
  return { folder, link, victim };
}

describe.skipIf(process.platform === 'win32')('a symbolic link in place of a lock', () => {
  it.each([false, true])(
    '[A25] is rejected with an error, and its target is not changed (claims only: %s)',
    async (isClaimsOnly) => {
      const { store, folder } = await storeWithRun();
      const { link, victim } = await plantLink('lock', folder);
      await expect(takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly })).rejects.toMatchObject({
        ...REFUSAL,
        message:
          'The lock "lock" in the store is not a regular file, and another user may have put it there; delete it and try again.',
        details: { file: link },
      });
      await expect(isWorkLocked(store, SAMPLE_RUN, { isClaimsOnly })).rejects.toMatchObject(REFUSAL);
      expect(await readFile(victim, 'utf8')).toBe(TEXT);
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
    },
  );

  it('[A25] does not create its target', async () => {
    const folder = await tempFolder();
    await symlink(join(folder, 'made'), join(folder, 'lock'));
    await expect(lockFile(join(folder, 'lock'))).rejects.toMatchObject(REFUSAL);
    await expect(lockFile(join(folder, 'lock'), { isClaimsOnly: true })).rejects.toMatchObject(REFUSAL);
    expect(await readdir(folder)).not.toContain('made');
  });

  it('[A25] is rejected without waiting for a holder', async () => {
    const { link } = await plantLink('lock');
    await expect(lockFile(link, { waitMs: 600_000 })).rejects.toMatchObject(REFUSAL);
  });

  it.each([false, true])(
    '[A25] is rejected for the claims as well (claims only: %s)',
    async (isClaimsOnly) => {
      const { store, folder } = await storeWithRun();
      const elsewhere = join(folder, 'elsewhere');
      const claim = '999999999--01890a5d-ac96-774b-bcce-b302099a8057';
      await mkdir(elsewhere);
      await writeFile(join(elsewhere, claim), '');
      await symlink(elsewhere, join(folder, 'lock.claims'));
      await expect(takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly })).rejects.toMatchObject(REFUSAL);
      await expect(isWorkLocked(store, SAMPLE_RUN, { isClaimsOnly })).rejects.toMatchObject(REFUSAL);
      expect(await readdir(elsewhere)).toEqual([claim]);
    },
  );

  it('[A25] prevents a server from starting and from being found', async () => {
    const { folder, victim } = await plantLink('server.lock');
    const store = openDiskStore(folder);
    await expect(claimServer(store.root)).rejects.toMatchObject(REFUSAL);
    await expect(findServer(store.root)).rejects.toMatchObject(REFUSAL);
    expect(await readFile(victim, 'utf8')).toBe(TEXT);
  });

  it('[A25] prevents changes of the settings until it is deleted', async () => {
    const { folder, link, victim } = await plantLink('settings.json.lock');
    const store = openDiskStore(folder);
    await expect(store.settings.update({})).rejects.toMatchObject(REFUSAL);
    expect(await readFile(victim, 'utf8')).toBe(TEXT);
    await rm(link);
    await store.settings.update({});
  });

  it('[A25] is not followed by a request to stop', async () => {
    const folder = await tempFolder();
    await symlink(join(folder, 'made'), join(folder, 'stop'));
    await expect(requestStop(join(folder, 'stop'))).rejects.toMatchObject({
      code: 'DISK',
      message: 'Could not ask the run to stop: there is a symbolic link where a file is needed; delete it.',
    });
    expect(await readdir(folder)).toEqual(['stop']);
  });
});

describe.skipIf(process.platform === 'win32')('a pipe in place of a lock', () => {
  it('[A25] is rejected without waiting for its other end', async () => {
    const { store, folder } = await storeWithRun();
    execFileSync('mkfifo', [join(folder, 'lock')]);
    for (const isClaimsOnly of [false, true]) {
      await expect(takeWorkLock(store, SAMPLE_RUN, { isClaimsOnly })).rejects.toMatchObject(REFUSAL);
      await expect(isWorkLocked(store, SAMPLE_RUN, { isClaimsOnly })).rejects.toMatchObject(REFUSAL);
    }
  });
});
