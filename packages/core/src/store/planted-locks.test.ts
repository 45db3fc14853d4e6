import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/temp-folder.ts';
import { lockFile } from './file-lock.ts';
import { createStoreLayout } from './layout.ts';
import { isRunLocked, takeRunLock } from './run-lock.ts';
import { claimServer, findServer } from './server-claim.ts';
import { updateSettings } from './settings-store.ts';
import { requestStop } from './stop-request.ts';

const TEXT = 'what a person wrote\n';
const REFUSAL = { code: 'STORE_REFUSED' };

/** A folder with a file of a person's, and a link to it where a lock belongs. */
async function plantLink(name: string): Promise<{ folder: string; link: string; victim: string }> {
  const folder = await tempFolder();
  const [link, victim] = [join(folder, name), join(folder, 'victim.txt')];
  await writeFile(victim, TEXT);
  await symlink(victim, link);
  return { folder, link, victim };
}

describe.skipIf(process.platform === 'win32')('a symbolic link in place of a lock', () => {
  it.each([false, true])(
    '[A50] is refused with a sentence, and its target stays as it was (claims only: %s)',
    async (isClaimsOnly) => {
      const { link, victim } = await plantLink('lock');
      await expect(takeRunLock(link, { isClaimsOnly })).rejects.toMatchObject({
        ...REFUSAL,
        message:
          'The lock "lock" in the store is not a regular file, and another user may have put it there; delete it and try again.',
        details: { file: link },
      });
      await expect(isRunLocked(link, { isClaimsOnly })).rejects.toMatchObject(REFUSAL);
      expect(await readFile(victim, 'utf8')).toBe(TEXT);
      expect((await lstat(link)).isSymbolicLink()).toBe(true);
    },
  );

  it('[A50] makes no file where it leads', async () => {
    const folder = await tempFolder();
    await symlink(join(folder, 'made'), join(folder, 'lock'));
    await expect(lockFile(join(folder, 'lock'))).rejects.toMatchObject(REFUSAL);
    await expect(lockFile(join(folder, 'lock'), { isClaimsOnly: true })).rejects.toMatchObject(REFUSAL);
    expect(await readdir(folder)).not.toContain('made');
  });

  it('[A50] is refused before the wait for a holder is over', async () => {
    const { link } = await plantLink('lock');
    await expect(lockFile(link, { waitMs: 600_000 })).rejects.toMatchObject(REFUSAL);
  });

  it.each([false, true])(
    '[A50] is refused for the claims as well (claims only: %s)',
    async (isClaimsOnly) => {
      const folder = await tempFolder();
      const elsewhere = join(folder, 'elsewhere');
      const claim = '999999999--01890a5d-ac96-774b-bcce-b302099a8057';
      await mkdir(elsewhere);
      await writeFile(join(elsewhere, claim), '');
      await symlink(elsewhere, join(folder, 'lock.claims'));
      const file = join(folder, 'lock');
      await expect(takeRunLock(file, { isClaimsOnly })).rejects.toMatchObject(REFUSAL);
      await expect(isRunLocked(file, { isClaimsOnly })).rejects.toMatchObject(REFUSAL);
      expect(await readdir(elsewhere)).toEqual([claim]);
    },
  );

  it('[A50] keeps a server from starting, and from being found', async () => {
    const { folder, victim } = await plantLink('server.lock');
    const store = createStoreLayout(folder);
    await expect(claimServer(store)).rejects.toMatchObject(REFUSAL);
    await expect(findServer(store)).rejects.toMatchObject(REFUSAL);
    expect(await readFile(victim, 'utf8')).toBe(TEXT);
  });

  it('[A50] keeps settings from being changed until it is deleted', async () => {
    const { folder, link, victim } = await plantLink('settings.json.lock');
    const store = createStoreLayout(folder);
    await expect(updateSettings(store, {})).rejects.toMatchObject(REFUSAL);
    expect(await readFile(victim, 'utf8')).toBe(TEXT);
    await rm(link);
    await updateSettings(store, {});
  });

  it('[A50] is not followed by a request to stop', async () => {
    const folder = await tempFolder();
    await symlink(join(folder, 'made'), join(folder, 'stop'));
    await expect(requestStop(join(folder, 'stop'))).rejects.toMatchObject({
      code: 'DISK',
      message: 'Could not ask the run to stop: a symbolic link stands where a file is needed; delete it.',
    });
    expect(await readdir(folder)).toEqual(['stop']);
  });
});

describe.skipIf(process.platform === 'win32')('a pipe in place of a lock', () => {
  it('[A50] is refused without waiting for its other end', async () => {
    const file = join(await tempFolder(), 'lock');
    execFileSync('mkfifo', [file]);
    for (const isClaimsOnly of [false, true]) {
      await expect(takeRunLock(file, { isClaimsOnly })).rejects.toMatchObject(REFUSAL);
      await expect(isRunLocked(file, { isClaimsOnly })).rejects.toMatchObject(REFUSAL);
    }
  });
});
