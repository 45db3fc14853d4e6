import { chmod, chown, lchown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRuntime } from '../../runtime.ts';
import { asOrdinaryUser } from '../../testing/as-ordinary-user.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { secureStoreRoot } from './secure-store-root.ts';

const OTHER_USER = 65_534;
const isRoot = process.geteuid?.() === 0;

async function storeWithMode(mode: number): Promise<string> {
  const root = join(await tempFolder(), 'store');
  await mkdir(root);
  // Not with mkdir, which applies the umask.
  await chmod(root, mode);
  return root;
}

async function modeOf(folder: string): Promise<number> {
  return (await stat(folder)).mode & 0o7777;
}

describe.skipIf(process.platform === 'win32')('the folder of the store', () => {
  it.each([0o755, 0o750, 0o701, 0o777, 0o2770])(
    '[A25] is accepted with mode %o after the access of others is removed',
    async (mode) => {
      const root = await storeWithMode(mode);
      await writeFile(join(root, 'settings.json'), '{}');
      await mkdir(join(root, 'projects'));
      secureStoreRoot(root);
      expect(await modeOf(root)).toBe(0o700);
    },
  );

  it.each([0o700, 0o500])('[A25] keeps mode %o', async (mode) => {
    const root = await storeWithMode(mode);
    secureStoreRoot(root);
    expect(await modeOf(root)).toBe(mode);
  });

  it('[A25] need not exist', async () => {
    const root = join(await tempFolder(), 'later');
    secureStoreRoot(root);
    await expect(stat(root)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('[A25] is refused unchanged if it is open to others and contains other files', async () => {
    const root = await storeWithMode(0o755);
    await writeFile(join(root, 'thesis.tex'), '');
    expect(() => secureStoreRoot(root)).toThrow(
      `The folder "${root}" is open to other users and contains files that are not CrewAgent's ("thesis.tex"); choose an empty folder with CREWAGENT_HOME, or close it with: chmod 700 "${root}"`,
    );
    expect(await modeOf(root)).toBe(0o755);
  });

  it('[A25] is refused if it is open and cannot be listed', async () => {
    const root = await storeWithMode(0o055);
    await chmod(join(root, '..'), 0o755);
    await asOrdinaryUser(root, async () =>
      expect(() => secureStoreRoot(root)).toThrow(
        `The store "${root}" cannot be opened (EACCES); check who owns it.`,
      ),
    );
    await chmod(root, 0o700);
  });

  it('[A25] is refused if all users share it', async () => {
    const root = await storeWithMode(0o1777);
    expect(() => secureStoreRoot(root)).toThrow(/is shared by all users; choose a folder of your own/);
    expect(await modeOf(root)).toBe(0o1777);
  });

  it.runIf(isRoot)('[A25] is refused if it belongs to another user', async () => {
    const root = await storeWithMode(0o777);
    await chown(root, OTHER_USER, OTHER_USER);
    const sentence = `The store "${root}" belongs to another user; choose a folder of your own with CREWAGENT_HOME.`;
    expect(() => secureStoreRoot(root)).toThrow(sentence);
    expect(() => createRuntime({ storeRoot: root })).toThrow(sentence);
    expect(await modeOf(root)).toBe(0o777);
  });

  it.runIf(isRoot)('[A25] is checked against the effective user', async () => {
    const own = await storeWithMode(0o755);
    await chmod(join(own, '..'), 0o755);
    await asOrdinaryUser(own, async () => secureStoreRoot(own));
    expect(await modeOf(own)).toBe(0o700);
    const ofRoot = await storeWithMode(0o777);
    await chmod(join(ofRoot, '..'), 0o755);
    const elsewhere = await tempFolder();
    await asOrdinaryUser(elsewhere, async () =>
      expect(() => secureStoreRoot(ofRoot)).toThrow(/belongs to another user/),
    );
  });

  it('[A25] may be a link of the user to a folder of the user, which is then tightened', async () => {
    const target = await storeWithMode(0o755);
    const link = join(await tempFolder(), 'link');
    await symlink(target, link);
    secureStoreRoot(link);
    expect(await modeOf(target)).toBe(0o700);
  });

  it('[A25] may be below a link', async () => {
    const root = await storeWithMode(0o755);
    const link = join(await tempFolder(), 'link');
    await symlink(join(root, '..'), link);
    secureStoreRoot(join(link, 'store'));
    expect(await modeOf(root)).toBe(0o700);
  });

  it.runIf(isRoot)('[A25] is refused if it is a link of another user', async () => {
    const target = await storeWithMode(0o700);
    const link = join(await tempFolder(), 'link');
    await symlink(target, link);
    await lchown(link, OTHER_USER, OTHER_USER);
    expect(() => secureStoreRoot(link)).toThrow(
      `The store "${link}" is a symbolic link that belongs to another user; choose a folder of your own with CREWAGENT_HOME.`,
    );
  });

  it.runIf(isRoot)('[A25] is refused if it is a link to a folder of another user', async () => {
    const target = await storeWithMode(0o700);
    await chown(target, OTHER_USER, OTHER_USER);
    const link = join(await tempFolder(), 'link');
    await symlink(target, link);
    expect(() => secureStoreRoot(link)).toThrow(/belongs to another user/);
  });

  it('[A25] is refused if it is a broken link', async () => {
    const folder = await tempFolder();
    await symlink(join(folder, 'unplugged'), join(folder, 'link'));
    expect(() => secureStoreRoot(join(folder, 'link'))).toThrow(
      `The store "${join(folder, 'link')}" is a symbolic link to a folder that does not exist; connect its disk, or choose another folder with CREWAGENT_HOME.`,
    );
  });
});
