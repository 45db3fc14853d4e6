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
  // Not with mkdir: the umask would take bits away.
  await chmod(root, mode);
  return root;
}

async function modeOf(folder: string): Promise<number> {
  return (await stat(folder)).mode & 0o7777;
}

describe.skipIf(process.platform === 'win32')('the folder of the store', () => {
  it.each([0o755, 0o750, 0o701, 0o777, 0o2770])(
    '[A49] is closed to others when its mode is %o, and used',
    async (mode) => {
      const root = await storeWithMode(mode);
      await writeFile(join(root, 'settings.json'), '{}');
      await mkdir(join(root, 'projects'));
      secureStoreRoot(root);
      expect(await modeOf(root)).toBe(0o700);
    },
  );

  it.each([0o700, 0o500])('[A49] keeps its mode when that is %o', async (mode) => {
    const root = await storeWithMode(mode);
    secureStoreRoot(root);
    expect(await modeOf(root)).toBe(mode);
  });

  it('[A49] need not be there', async () => {
    const root = join(await tempFolder(), 'later');
    secureStoreRoot(root);
    await expect(stat(root)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('[A49] is refused and keeps its mode when it is open to others and holds files that are not ours', async () => {
    const root = await storeWithMode(0o755);
    await writeFile(join(root, 'thesis.tex'), '');
    expect(() => secureStoreRoot(root)).toThrow(
      `The folder "${root}" is open to other users and holds files that are not CrewAgent's ("thesis.tex"); choose an empty folder with CREWAGENT_HOME, or close it with: chmod 700 "${root}"`,
    );
    expect(await modeOf(root)).toBe(0o755);
  });

  it('[A49] is refused when it is open and cannot be listed', async () => {
    const root = await storeWithMode(0o055);
    await chmod(join(root, '..'), 0o755);
    await asOrdinaryUser(root, async () =>
      expect(() => secureStoreRoot(root)).toThrow(
        `The store "${root}" cannot be opened (EACCES); check who owns it.`,
      ),
    );
    await chmod(root, 0o700);
  });

  it('[A49] is refused when it is a folder that all users share', async () => {
    const root = await storeWithMode(0o1777);
    expect(() => secureStoreRoot(root)).toThrow(/is shared by all users; choose a folder of your own/);
    expect(await modeOf(root)).toBe(0o1777);
  });

  it.runIf(isRoot)('[A49] is refused when it belongs to another user', async () => {
    const root = await storeWithMode(0o777);
    await chown(root, OTHER_USER, OTHER_USER);
    const sentence = `The store "${root}" belongs to another user; choose a folder of your own with CREWAGENT_HOME.`;
    expect(() => secureStoreRoot(root)).toThrow(sentence);
    expect(() => createRuntime({ storeRoot: root })).toThrow(sentence);
    expect(await modeOf(root)).toBe(0o777);
  });

  it.runIf(isRoot)('[A49] is judged by the user whom the process acts for', async () => {
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

  it('[A49] may be a link of the user to a folder of the user, which is then closed to others', async () => {
    const target = await storeWithMode(0o755);
    const link = join(await tempFolder(), 'link');
    await symlink(target, link);
    secureStoreRoot(link);
    expect(await modeOf(target)).toBe(0o700);
  });

  it('[A49] may lie behind a link', async () => {
    const root = await storeWithMode(0o755);
    const link = join(await tempFolder(), 'link');
    await symlink(join(root, '..'), link);
    secureStoreRoot(join(link, 'store'));
    expect(await modeOf(root)).toBe(0o700);
  });

  it.runIf(isRoot)('[A49] is refused when it is a link that belongs to another user', async () => {
    const target = await storeWithMode(0o700);
    const link = join(await tempFolder(), 'link');
    await symlink(target, link);
    await lchown(link, OTHER_USER, OTHER_USER);
    expect(() => secureStoreRoot(link)).toThrow(
      `The store "${link}" is a symbolic link that belongs to another user; choose a folder of your own with CREWAGENT_HOME.`,
    );
  });

  it.runIf(isRoot)('[A49] is refused when it is a link to a folder of another user', async () => {
    const target = await storeWithMode(0o700);
    await chown(target, OTHER_USER, OTHER_USER);
    const link = join(await tempFolder(), 'link');
    await symlink(target, link);
    expect(() => secureStoreRoot(link)).toThrow(/belongs to another user/);
  });

  it('[A49] is refused when it is a link that leads nowhere', async () => {
    const folder = await tempFolder();
    await symlink(join(folder, 'unplugged'), join(folder, 'link'));
    expect(() => secureStoreRoot(join(folder, 'link'))).toThrow(
      `The store "${join(folder, 'link')}" is a symbolic link to a folder that does not exist; connect its disk, or choose another folder with CREWAGENT_HOME.`,
    );
  });
});
