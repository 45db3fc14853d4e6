import { once } from 'node:events';
import {
  appendFile,
  chmod,
  mkdir,
  readFile,
  stat,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errnoOf } from '../base/errno.ts';
import { asOrdinaryUser } from '../testing/as-ordinary-user.ts';
import { mountPathOf as at } from '../testing/mount-path-of.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { createMountedTree } from './mounted-tree.ts';
import { SandboxViolation } from './sandbox-violation.ts';

async function createRig() {
  const root = await tempFolder();
  await writeTree(root, { 'dir/b/c.md': 'text', 'dir/a.md': 'a', 'dir/d.md': 'd' });
  await symlink('a.md', join(root, 'dir', 'link'));
  return { root, tree: createMountedTree(root) };
}

async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error instanceof SandboxViolation ? error.reason : (errnoOf(error) ?? error);
  }
}

async function drain(all: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of all);
}

async function* piecesOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

describe('reading a tree', () => {
  it('[F1] returns kind, size, time and permissions of an entry', async () => {
    const { root, tree } = await createRig();
    await chmod(join(root, 'dir/a.md'), 0o640);
    await utimes(join(root, 'dir/a.md'), 1_000, 2_000);
    const server = createServer().listen(join(root, 'socket'));
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    expect(tree.stat(at('@project/dir/a.md'))).toMatchObject({
      kind: 'file',
      bytes: 1,
      modifiedMs: 2_000_000,
      mode: 0o640,
      ownerId: (await stat(root)).uid,
    });
    expect(tree.stat(at('@project/dir/link'))).toMatchObject({ kind: 'link' });
    expect(tree.stat(at('@project/socket'))).toMatchObject({ kind: 'special' });
    expect(tree.stat(at('@project'))).toMatchObject({ kind: 'folder' });
    for (const path of ['none', 'none/x', 'dir/a.md/x'])
      expect(tree.stat(at(`@project/${path}`))).toBeUndefined();
    expect(await outcome(() => tree.stat(at('@project/dir/link/x')))).toBe('link');
  });

  it('[F1] returns the same for many names at once, and lets other tasks run', async () => {
    const { tree } = await createRig();
    const names = ['b', 'none', 'link', 'a.md'];
    const found = await tree.statAll(at('@project/dir'), names);
    expect(found.map((entry) => entry?.kind)).toEqual(['folder', undefined, 'link', 'file']);
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await tree.statAll(
      at('@project/dir'),
      Array.from({ length: 1_024 }, () => 'a.md'),
    );
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(1);
    expect(turns).toBeLessThan(100);
  });

  it('[F1] lists every entry of a folder', async () => {
    const { tree } = await createRig();
    const names: string[] = [];
    for await (const batch of tree.entries(at('@project/dir'))) names.push(...batch.map(({ name }) => name));
    expect(names.sort()).toEqual(['a.md', 'b', 'd.md', 'link']);
    expect(
      await outcome(async () => {
        for await (const _ of tree.entries(at('@project/dir/link')));
      }),
    ).toBe('link');
  });

  it('[F8] visits in order, folders before and after their content', async () => {
    const { tree } = await createRig();
    const seen: string[] = [];
    for await (const { segments, name, entry, isLeaving, linkTarget, withContent } of tree.visit(
      at('@project/dir'),
    )) {
      const more =
        entry.kind === 'link'
          ? ` → ${linkTarget()}`
          : entry.kind === 'file'
            ? ` = ${await withContent(async (content, bytes) => `${(await content.readFile()).toString()} ${bytes}`)}`
            : '';
      seen.push(`${isLeaving ? 'left ' : ''}${['', ...segments].join('/')} ${name}${more}`);
    }
    expect(seen).toEqual([
      ' dir',
      '/a.md a.md = a 1',
      '/b b',
      '/b/c.md c.md = text 4',
      'left /b b',
      '/d.md d.md = d 1',
      '/link link → a.md',
      'left  dir',
    ]);
    expect(
      await outcome(async () => {
        for await (const _ of tree.visit(at('@project')));
      }),
    ).toBe('EBUSY');
    expect(
      await outcome(async () => {
        for await (const _ of tree.visit(at('@project/none')));
      }),
    ).toBe('ENOENT');
  });

  it('[F8] skips entries that vanished meanwhile, and reads content of files only', async () => {
    const { root, tree } = await createRig();
    const seen: string[] = [];
    for await (const { name, entry, canBeEmptied, withContent } of tree.visit(at('@project/dir'))) {
      seen.push(name);
      if (name === 'a.md') await unlink(join(root, 'dir/d.md'));
      if (entry.kind !== 'folder') continue;
      expect(canBeEmptied()).toBe(true);
      expect(await outcome(() => withContent(async () => 'read'))).toBe('special');
    }
    expect(seen).toEqual(['dir', 'a.md', 'b', 'c.md', 'b', 'link', 'dir']);
  });

  it('[F1] returns a system path for other programs', async () => {
    const { root, tree } = await createRig();
    const systemPathOf = (path: string) =>
      outcome(() => tree.withSystemPath(at(path), (openPath) => openPath));
    expect(await systemPathOf('@project/dir/a.md')).toEqual({
      path: join(root, 'dir/a.md'),
      isFolder: false,
    });
    expect(await systemPathOf('@project/dir/b')).toEqual({ path: join(root, 'dir/b'), isFolder: true });
    expect(await systemPathOf('@project/dir/link')).toEqual({
      path: join(root, 'dir/link'),
      isFolder: false,
    });
    expect(await systemPathOf('@project')).toEqual({ path: root, isFolder: true });
    expect(await systemPathOf('@project/none')).toBe('ENOENT');
  });
});

describe.runIf(process.platform !== 'win32')('permissions in a tree', () => {
  it('[F8] are changed only on own folders, and only to remove something', async () => {
    const { root, tree } = await createRig();
    await writeTree(root, { 'dir/ours/x': '', 'dir/blind/x': '' });
    await asOrdinaryUser(root, async () => {
      await chmod(join(root, 'dir/ours'), 0o500);
      for await (const { name, canBeEmptied } of tree.visit(at('@project/dir')))
        if (name === 'ours') expect(canBeEmptied()).toBe(true);
      expect((await stat(join(root, 'dir/ours'))).mode & 0o777).toBe(0o500);
      await chmod(join(root, 'dir/blind'), 0o300);
      expect(await outcome(() => drain(tree.visit(at('@project/dir/blind'))))).toBe('EACCES');
      await chmod(join(root, 'dir/blind'), 0o700);
      await tree.remove(at('@project/dir'));
      expect(tree.stat(at('@project/dir'))).toBeUndefined();
    });
  });
});

describe('a long visit', () => {
  it('[F8] lets other tasks run', async () => {
    const { root, tree } = await createRig();
    await writeTree(root, Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`slow/${index}`, ''])));
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const seen: number[] = [];
    for await (const { entry } of tree.visit(at('@project/slow'))) {
      if (entry.kind !== 'file') continue;
      seen.push(turns);
      for (const until = performance.now() + 10; performance.now() < until; );
    }
    clearImmediate(timer);
    expect(new Set(seen).size).toBe(5);
  });
});

describe('creating entries in a tree', () => {
  it('[F8] sets the given content, permissions and time', async () => {
    const { root, tree } = await createRig();
    await tree.addFile(at('@project/new.md'), {
      mode: 0o666,
      modifiedMs: 5_000_000,
      content: piecesOf('one ', '', 'two'),
    });
    const stats = await stat(join(root, 'new.md'));
    expect(await readFile(join(root, 'new.md'), 'utf8')).toBe('one two');
    expect({ mode: stats.mode & 0o777, ms: stats.mtimeMs }).toEqual({ mode: 0o666, ms: 5_000_000 });
    expect(stats.atimeMs).toBeLessThan(Date.now() + 60_000);
    await tree.makeFolder(at('@project/made'));
    await tree.seal(at('@project/made'), 0o711);
    expect((await stat(join(root, 'made'))).mode & 0o777).toBe(0o711);
  });

  it('[F8] leaves one entry after a move of nothing, or onto itself', async () => {
    const { tree } = await createRig();
    expect(await outcome(() => tree.move(at('@project/none'), at('@project/x')))).toBe('ENOENT');
    expect(await outcome(() => tree.move(at('@project/none'), at('@project/dir')))).toBe('ENOENT');
    expect(await outcome(() => tree.move(at('@project/dir/a.md'), at('@project/dir/d.md')))).toBe('EEXIST');
    expect(await outcome(() => tree.move(at('@project'), at('@project/dir/x')))).toBe('EBUSY');
    expect(await outcome(() => tree.move(at('@project/dir/a.md'), at('@project')))).toBe('EBUSY');
  });
});

describe('watching a folder', () => {
  /** Waits for an event, without a time limit. */
  function createWatch(tree: ReturnType<typeof createMountedTree>, path: string) {
    const seen: string[] = [];
    let wake = (): void => undefined;
    const { entry, stop } = tree.watch(at(path), {
      isDeep: false,
      onTouched: (segments, isRename) => {
        seen.push(`${segments.join('/')}${isRename ? '!' : ''}`);
        wake();
      },
      onLost: () => undefined,
    });
    onTestFinished(stop);
    const until = async (wanted: string): Promise<void> => {
      while (!seen.includes(wanted))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    };
    return { seen, entry, stop, until };
  }

  it('[F15] reports entries that were added, removed and changed, until it is stopped', async () => {
    const { root, tree } = await createRig();
    const watch = createWatch(tree, '@project/dir');
    expect(watch.entry.kind).toBe('folder');
    await writeFile(join(root, 'dir/new.md'), 'x');
    await watch.until('new.md!');
    await appendFile(join(root, 'dir/a.md'), 'x');
    await watch.until('a.md');
    // Only Linux reports the kind of change reliably.
    if (process.platform === 'linux') expect(watch.seen).not.toContain('a.md!');
    watch.stop();
    const other = createWatch(tree, '@project/dir');
    watch.seen.length = 0;
    await mkdir(join(root, 'dir/after'));
    await other.until('after!');
    expect(watch.seen).toEqual([]);
  });
});
