import { readdirSync, renameSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errnoOf } from '../base/errno.ts';
import { asOrdinaryUser } from '../testing/as-ordinary-user.ts';
import { mountPathOf as at } from '../testing/mount-path-of.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import { createMountedTree } from './mounted-tree.ts';
import { SandboxViolation } from './sandbox-violation.ts';

const DIR = at('@project/dir');

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error instanceof SandboxViolation ? error.reason : (errnoOf(error) ?? error);
  }
}

describe('a tree whose folders are opened by path', () => {
  /** `swap` replaces `dir` by another folder with the same names. */
  async function createRig() {
    const root = await tempFolder();
    await writeTree(root, { 'dir/a.md': 'a', 'dir/b/c.md': 'c', 'another/a.md': 'A', 'another/b/c.md': 'C' });
    const swap = (): void => {
      renameSync(join(root, 'dir'), join(root, 'parked'));
      renameSync(join(root, 'another'), join(root, 'dir'));
    };
    return { root, swap, tree: createMountedTree(root, { isHeld: false }) };
  }

  it('[F1] stops stat calls if a folder was swapped', async () => {
    const { tree, swap } = await createRig();
    const names = Array.from({ length: 300 }, () => 'a.md');
    expect(await outcome(async () => (await tree.statAll(DIR, names)).length)).toBe(300);
    const statting = outcome(() => tree.statAll(DIR, names));
    swap();
    expect(await statting).toBe('link');
  });

  it('[F1] neither reads nor removes if a folder was swapped', async () => {
    const { root, tree, swap } = await createRig();
    for await (const { name, withContent, remove } of tree.visit(DIR)) {
      if (name !== 'a.md') continue;
      swap();
      expect(await outcome(() => withContent((content) => content.readFile()))).toBe('link');
      expect(await outcome(remove)).toBe('link');
      break;
    }
    expect(await readFile(join(root, 'dir/a.md'), 'utf8')).toBe('A');
  });

  it('[F1] enters no subfolder if a folder was swapped', async () => {
    const { tree, swap } = await createRig();
    const seen: string[] = [];
    const visiting = outcome(async () => {
      for await (const { segments } of tree.visit(DIR)) {
        seen.push(segments.join('/'));
        if (segments[0] === 'b') swap();
      }
    });
    expect(await visiting).toBe('link');
    expect(seen).toEqual(['', 'a.md', 'b']);
  });

  it('[F8] is removed including read-only folders', async () => {
    const { root, tree } = await createRig();
    await mkdir(join(root, 'dir/closed'), { mode: 0o500 });
    await tree.remove(DIR);
    expect(tree.stat(DIR)).toBeUndefined();
  });
});

// Requires root and a system with users.
describe.runIf(process.geteuid?.() === 0)('a folder of another user', () => {
  const OTHER_USER = 65_534;

  /** `folders` belong to root, all else to the current user. */
  async function asOther(root: string, folders: Record<string, number>, work: () => Promise<void>) {
    await asOrdinaryUser(root, async () => {
      process.seteuid?.(0);
      for (const [folder, mode] of Object.entries(folders)) {
        await chown(join(root, folder), 0, 0);
        await chmod(join(root, folder), mode);
      }
      process.seteuid?.(OTHER_USER);
      await work();
    });
  }

  it('[F8] can be emptied by anyone who may write it or owns it', async () => {
    const root = await tempFolder();
    await writeTree(root, { 'dir/mine/x': '', 'dir/theirs/x': '' });
    await chown(join(root, 'dir/theirs'), OTHER_USER, OTHER_USER);
    const found: Record<string, boolean> = {};
    for await (const { name, entry, isLeaving, canBeEmptied } of createMountedTree(root).visit(DIR))
      if (entry.kind === 'folder' && !isLeaving) found[name] = canBeEmptied();
    expect(found).toEqual({ dir: true, mine: true, theirs: true });
  });

  it('[F8] can be emptied only by its owner if it was removed', async () => {
    const root = await tempFolder();
    for (const name of ['mine', 'theirs']) await mkdir(join(root, name));
    await chown(join(root, 'theirs'), OTHER_USER, OTHER_USER);
    const afterRemoval = async (name: string): Promise<boolean | undefined> => {
      for await (const { canBeEmptied } of createMountedTree(root).visit(at(`@project/${name}`))) {
        await rmdir(join(root, name));
        return canBeEmptied();
      }
      return undefined;
    };
    expect([await afterRemoval('mine'), await afterRemoval('theirs')]).toEqual([true, false]);
  });

  it('[F8] is removed unchanged if its permissions allow it', async () => {
    const root = await tempFolder();
    await writeTree(root, { 'dir/theirs/x': '' });
    await asOther(root, { 'dir/theirs': 0o777 }, async () => {
      await createMountedTree(root).remove(DIR);
    });
    expect(await readTree(root)).toEqual({});
  });

  it('[F8] [M4] is rejected if its permissions forbid removal, and no descriptor stays open', async () => {
    const root = await tempFolder();
    await writeTree(root, { 'dir/theirs/x': '' });
    const tree = createMountedTree(root);
    await asOther(root, { 'dir/theirs': 0o555 }, async () => {
      const open = (): number => readdirSync('/proc/self/fd').length;
      expect(await outcome(() => tree.remove(DIR))).toBe('EPERM');
      const before = open();
      for (let times = 0; times < 4; times++) await outcome(() => tree.remove(DIR));
      expect(open() - before).toBeLessThan(4);
    });
    expect(await readTree(root)).toEqual({ 'dir/': '', 'dir/theirs/': '', 'dir/theirs/x': '' });
  });
});
