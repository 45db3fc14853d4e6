import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, utimes } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errnoOf } from '../base/errno.ts';
import { mountPathOf as at } from '../testing/mount-path-of.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { ChangedMeanwhile } from './file-identity.ts';
import { walk } from './folder-walk.ts';
import { createMountedFs } from './mounted-fs.ts';
import { openRegularFile } from './open-path.ts';
import { SandboxViolation } from './sandbox-violation.ts';
import { createSecretCheck, type IsSecret } from './sensitive/secret-files.ts';

async function createRig(isSecret: IsSecret = createSecretCheck()) {
  const root = await tempFolder();
  const roots = { project: join(root, 'project'), pkg: join(root, 'pkg'), state: join(root, 'state') };
  for (const folder of Object.values(roots)) await mkdir(folder);
  return { ...roots, files: createMountedFs(roots, isSecret) };
}

/** Result of an access, or the error. */
async function outcome(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return error instanceof SandboxViolation ? error.reason : (errnoOf(error) ?? error);
  }
}

const NEW = Buffer.from('NEW');
const TEMP = { tempName: '.writing-test' };

describe('reading a file', () => {
  it('[M1] returns its metadata and its real path', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'a/b/file.md': 'text' });
    await symlink('b', join(project, 'a', 'link'));
    await chmod(join(project, 'a/b/file.md'), 0o640);
    await utimes(join(project, 'a/b/file.md'), 1_000, 2_000);
    const facts = await files.withFile(
      at('@project/a/link/file.md'),
      async ({ handle: _, identity, ...rest }) => ({
        ...rest,
        size: identity.size,
      }),
    );
    expect(facts).toEqual({
      bytes: 4,
      mode: 0o640,
      modifiedMs: 2_000_000,
      path: at('@project/a/b/file.md'),
      size: 4n,
    });
  });

  it.each([0, 1, 1_000, 256 * 1024, 256 * 1024 + 1, 700_000])(
    '[M1] reads %d bytes whole, and from any position',
    async (size) => {
      const { project, files } = await createRig();
      const content = Buffer.from(Array.from({ length: size }, (_, index) => (index * 7) % 251));
      await writeTree(project, { 'a.bin': content });
      await files.withFile(at('@project/a.bin'), async ({ handle }) => {
        expect(Buffer.compare(await handle.readFile(), content)).toBe(0);
        for (const position of [0, 1, Math.floor(size / 2), size]) {
          const buffer = Buffer.alloc(300_000);
          const read = await handle.read(buffer, position);
          expect(read).toBe(Math.max(0, Math.min(buffer.length, size - position)));
          expect(Buffer.compare(buffer.subarray(0, read), content.subarray(position, position + read))).toBe(
            0,
          );
        }
      });
    },
  );
});

describe('listing a folder', () => {
  it('[M1] returns every entry once with its kind, however many there are', async () => {
    const { project, files } = await createRig();
    const names = Array.from({ length: 1_100 }, (_, index) => `f${index}`);
    await writeTree(project, { ...Object.fromEntries(names.map((name) => [name, ''])), 'dir/x': '' });
    await symlink('dir', join(project, 'link'));
    const server = createServer().listen(join(project, 'socket'));
    await once(server, 'listening');
    const found = new Map<string, string>();
    let batches = 0;
    for await (const batch of files.entries(at('@project'))) {
      batches++;
      expect(batch.length).toBeGreaterThan(0);
      for (const { name, kind } of batch) {
        expect(found.has(name)).toBe(false);
        found.set(name, kind);
      }
    }
    server.close();
    expect(batches).toBeGreaterThan(1);
    expect(Object.fromEntries(found)).toEqual({
      ...Object.fromEntries(names.map((name) => [name, 'file'])),
      dir: 'folder',
      link: 'link',
      socket: 'special',
    });
  });

  it('[M4] lists the named folder, also through a link', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'dir/x': '' });
    await symlink('dir', join(project, 'link'));
    for (const path of ['@project/dir', '@project/link']) {
      const names: string[] = [];
      for await (const batch of files.entries(at(path))) names.push(...batch.map(({ name }) => name));
      expect(names).toEqual(['x']);
    }
  });

  it('[M4] is rejected if a link replaces the folder while it is opened', async () => {
    const { project } = await createRig();
    await writeTree(project, { 'file.md': 'x' });
    await symlink('file.md', join(project, 'link'));
    const openPath = walk(project, ['link'], { isExact: true });
    expect(await outcome(() => openRegularFile(openPath))).toBe('link');
    openPath.close();
  });

  it('[M1] lets other tasks run meanwhile', async () => {
    const { project, files } = await createRig();
    await writeTree(
      project,
      Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`f${index}`, ''])),
    );
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    for await (const _ of files.entries(at('@project')));
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(1);
  });
});

describe('deny rules', () => {
  it('[M8] apply to the given name, whether or not the file exists', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'open.md': 'open', 'dir/x': '' });
    await symlink('open.md', join(project, '.env'));
    await symlink('dir', join(project, '.ssh'));
    for (const name of ['.env', '.ssh', '.ssh/x', 'credentials.json', 'none/.env']) {
      const path = at(`@project/${name}`);
      expect(await outcome(() => files.withFile(path, async () => 'read'))).toBe('secret');
      expect(await outcome(() => files.resolve(path, 'read'))).toBe('secret');
      expect(await outcome(() => files.resolve(path, 'write'))).toBe('secret');
      expect(await outcome(() => files.replace(path, NEW, TEMP))).toBe('secret');
    }
  });

  it('[M8] apply to the resolved path, also if it does not exist yet', async () => {
    const { project, files } = await createRig((segments) => /^real.*new.md$/.test(segments.join('/')));
    await mkdir(join(project, 'real'));
    await symlink('real', join(project, 'link'));
    expect(await outcome(() => files.resolve(at('@project/link/new.md'), 'write'))).toBe('secret');
    expect(await outcome(() => files.resolve(at('@project/link/sub/new.md'), 'write'))).toBe('secret');
    expect(await outcome(() => files.resolve(at('@project/link/other.md'), 'write'))).toEqual(
      at('@project/real/other.md'),
    );
  });

  it('[M8] apply to the project only: a package may contain any name', async () => {
    const { pkg, files } = await createRig();
    await writeTree(pkg, { 'assets/credentials.json': '{}' });
    expect(await outcome(() => files.withFile(at('@pkg/assets/credentials.json'), async () => 'read'))).toBe(
      'read',
    );
  });

  it('[M3] about the state document apply in @state only, and not to its exact spelling', async () => {
    const { project, state, files } = await createRig();
    await writeTree(project, { 'WORKFLOW.md': 'x' });
    await writeTree(state, { 'workflow.md': 'x', 'other.md': 'x' });
    for (const path of ['@project/WORKFLOW.md', '@state/workflow.md', '@state/other.md'])
      expect(await outcome(() => files.withFile(at(path), async () => 'read'))).toBe('read');
    expect(await outcome(() => files.withFolder(at('@state'), async () => 'used'))).toBe('used');
  });
});

describe('a path to write', () => {
  it('[M4] is the one that was checked: a link placed there since is not followed', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'real/file.md': 'old' });
    await symlink('real', join(project, 'link'));
    expect(await outcome(() => files.replace(at('@project/link/file.md'), NEW, TEMP))).toBe('link');
    expect(await outcome(() => files.remove(at('@project/link/file.md')))).toBe('link');
    expect(await readFile(join(project, 'real/file.md'), 'utf8')).toBe('old');
    expect(await readdir(join(project, 'real'))).toEqual(['file.md']);
  });

  it('[M1] is not created if the mount is missing or a file blocks it', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'file.md': 'x' });
    expect(await outcome(() => files.resolve(at('@project/file.md/below'), 'write'))).toBe('ENOTDIR');
    await rm(project, { recursive: true });
    expect(await outcome(() => files.resolve(at('@project'), 'read'))).toBe('ENOENT');
    expect(await outcome(() => files.resolve(at('@project/a/b'), 'write'))).toBe('ENOENT');
  });

  it('[M10] accepts content of any size, with the requested permissions', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'a.bin': 'old' });
    for (const size of [0, 256 * 1024, 256 * 1024 + 1, 700_000]) {
      const content = Buffer.from(Array.from({ length: size }, (_, index) => (index * 7) % 251));
      await files.replace(at('@project/a.bin'), content, { ...TEMP, mode: 0o604 });
      expect(Buffer.compare(await readFile(join(project, 'a.bin')), content)).toBe(0);
      expect((await stat(join(project, 'a.bin'))).mode & 0o777).toBe(0o604);
    }
  });

  it('[M10] gets private permissions in the state, default permissions in the project', async () => {
    const { project, state, files } = await createRig();
    await files.replace(at('@state/new.md'), NEW, TEMP);
    await files.replace(at('@project/new.md'), NEW, TEMP);
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    expect(await modeOf(join(state, 'new.md'))).toBe(0o600);
    expect(await modeOf(join(project, 'new.md'))).toBe(0o666 & ~process.umask());
  });

  it('[M10] is removed only if it is the expected file', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'a.md': 'old', 'b.md': 'old' });
    const seen = await files.withFile(at('@project/a.md'), async ({ identity }) => identity);
    await files.replace(at('@project/a.md'), NEW, TEMP);
    expect(await outcome(() => files.remove(at('@project/a.md'), seen))).toBeInstanceOf(ChangedMeanwhile);
    await files.remove(at('@project/b.md'));
    expect(await readdir(project)).toEqual(['a.md']);
  });

  it('[M4] is passed on as a folder with links resolved, if it is a folder', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'real/file.md': 'x' });
    await symlink('real', join(project, 'link'));
    expect(await outcome(() => files.withFolder(at('@project/link'), (path) => readdir(path)))).toEqual([
      'file.md',
    ]);
    expect(await outcome(() => files.withFolder(at('@project/real/file.md'), async () => 'used'))).toBe(
      'ENOTDIR',
    );
  });
});
