import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, link, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errnoOf } from '../base/errno.ts';
import { mountPathOf as at } from '../testing/mount-path-of.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import { ChangedMeanwhile } from './file-identity.ts';
import { createMountedFs, type MountedFs } from './mounted-fs.ts';
import { SandboxViolation } from './sandbox-violation.ts';
import { createSecretCheck } from './sensitive/secret-files.ts';

interface Rig {
  root: string;
  project: string;
  outside: string;
  files: MountedFs;
}

async function createRig(): Promise<Rig> {
  const root = await tempFolder();
  const [project, pkg, state, outside] = ['project', 'pkg', 'state', 'outside'].map((name) =>
    join(root, name),
  ) as [string, string, string, string];
  for (const folder of [project, pkg, state, outside]) await mkdir(folder);
  await writeTree(outside, { 'secret.txt': 'OUTSIDE', 'dir/secret.txt': 'OUTSIDE' });
  await writeTree(state, { 'workflow.md': 'state' });
  await writeTree(pkg, { 'steps/a.md': 'step' });
  return { root, project, outside, files: createMountedFs({ project, pkg, state }, createSecretCheck()) };
}

async function read(files: MountedFs, path: string): Promise<string> {
  try {
    return await files.withFile(at(path), async ({ handle }) => (await handle.readFile()).toString());
  } catch (error) {
    return error instanceof SandboxViolation ? error.reason : (errnoOf(error) ?? String(error));
  }
}

async function write(files: MountedFs, path: string, content = 'NEW'): Promise<string> {
  try {
    const target = files.resolve(at(path), 'write');
    await files.replace(target, Buffer.from(content), { tempName: '.writing-test' });
    return 'written';
  } catch (error) {
    return error instanceof SandboxViolation ? error.reason : (errnoOf(error) ?? String(error));
  }
}

async function names(files: MountedFs, path: string): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of files.entries(at(path))) found.push(...batch.map(({ name }) => name));
  return found.sort();
}

describe('mounted files', () => {
  it('[M4] follows links inside a mount, also chained and with ".."', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'a/b/file.md': 'inside' });
    await symlink('b', join(project, 'a', 'link'));
    await symlink('../a/link/file.md', join(project, 'a', 'deep'));
    await symlink('.././a//link', join(project, 'a', 'b', 'back'));
    await symlink(join(project, 'a'), join(project, 'absolute'));
    expect(await read(files, '@project/a/link/file.md')).toBe('inside');
    expect(await read(files, '@project/a/deep')).toBe('inside');
    expect(await read(files, '@project/absolute/b/file.md')).toBe('inside');
    expect(files.resolve(at('@project/absolute/link/new/x.md'), 'write').segments).toEqual([
      'a',
      'b',
      'new',
      'x.md',
    ]);
    expect(await write(files, '@project/absolute/link/new/x.md')).toBe('written');
    expect(await readFile(join(project, 'a/b/new/x.md'), 'utf8')).toBe('NEW');
  });

  it('[M4] rejects links that leave their mount, whatever their target', async () => {
    const { root, project, outside, files } = await createRig();
    const before = await readTree(outside);
    await mkdir(join(project, 'sub'));
    const links: Record<string, string> = {
      absolute: outside,
      relative: '../outside',
      file: '../outside/secret.txt',
      dangling: '../outside/new.txt',
      danglingDir: '../outside/none/x',
      toState: '../state',
      prefix: `${project}-evil`,
      up: '..',
      rootLink: '/',
      proc: '/proc/self/root',
      loop: 'loop',
      'sub/mixed': '../../outside/dir',
    };
    await writeTree(`${project}-evil`, { 'secret.txt': 'OUTSIDE' });
    for (const [name, target] of Object.entries(links)) await symlink(target, join(project, name));
    for (const name of Object.keys(links)) {
      for (const path of [`@project/${name}`, `@project/${name}/secret.txt`, `@project/${name}/x/y.txt`]) {
        expect({ path, read: await read(files, path) }).toEqual({ path, read: 'link' });
        expect({ path, write: await write(files, path) }).toEqual({ path, write: 'link' });
      }
      await expect(names(files, `@project/${name}`)).rejects.toBeInstanceOf(SandboxViolation);
    }
    expect(await readTree(outside)).toEqual(before);
    expect(await readFile(join(root, 'state/workflow.md'), 'utf8')).toBe('state');
  });

  it.each([
    ['@project', 'project'],
    ['@pkg', 'package'],
    ['@state', 'run'],
  ])('[M1] rejects %s that does not exist', async (mount, owner) => {
    const noRoots = { project: undefined, pkg: undefined, state: undefined };
    const files = createMountedFs(noRoots, createSecretCheck());
    // Both are in the working folder of the program.
    expect(await read(files, `${mount}/package.json`)).toBe('path');
    await expect(names(files, `${mount}/packages`)).rejects.toThrow(`needs a ${owner}, but none is open`);
  });

  it('[M6] never writes to the package', async () => {
    const { files, root } = await createRig();
    expect(await write(files, '@pkg/steps/a.md')).toBe('read-only');
    expect(await write(files, '@pkg/new.md')).toBe('read-only');
    await expect(files.remove(at('@pkg/steps/a.md'))).rejects.toBeInstanceOf(SandboxViolation);
    expect(await readTree(join(root, 'pkg'))).toEqual({ 'steps/': '', 'steps/a.md': 'step' });
  });

  it('[M3] rejects devices, pipes and sockets without blocking', async () => {
    const { project, files } = await createRig();
    execFileSync('mkfifo', [join(project, 'pipe')]);
    const server = createServer().listen(join(project, 'socket'));
    await once(server, 'listening');
    expect(await read(files, '@project/pipe')).toBe('special');
    expect(await read(files, '@project/socket')).toBe('special');
    expect(await write(files, '@project/pipe')).toBe('special');
    server.close();
  });

  it.each([
    '.env',
    '.ENV',
    '.env.local',
    'sub/.Env.Production',
    '.npmrc',
    'id_rsa',
    'certs/server.PEM',
    '.ssh/config',
    '.aws/credentials',
    'credentials.json',
    'secrets.yaml',
  ])('[M8] neither reads nor writes the secret file %s, also through a link', async (name) => {
    const { project, files } = await createRig();
    await writeTree(project, { [name]: 'SECRET' });
    await symlink(name, join(project, 'innocent.txt'));
    expect(await read(files, `@project/${name}`)).toBe('secret');
    expect(await read(files, '@project/innocent.txt')).toBe('secret');
    expect(await write(files, `@project/${name}`)).toBe('secret');
    expect(await write(files, '@project/innocent.txt')).toBe('secret');
    expect(await readFile(join(project, name), 'utf8')).toBe('SECRET');
  });

  it.each(['.env.example', 'environment.md', 'keys.md', 'secret-santa.md'])(
    '[M8] does not treat %s as secret',
    async (name) => {
      const { project, files } = await createRig();
      await writeTree(project, { [name]: 'open' });
      expect(await read(files, `@project/${name}`)).toBe('open');
    },
  );

  it('[M8] accepts additional patterns from the settings', () => {
    const isSecret = createSecretCheck(['*.draft', 'plan?.md']);
    expect(isSecret(['a', 'X.DRAFT'])).toBe(true);
    expect(isSecret(['plan?.md'])).toBe(true);
    expect(isSecret(['plan1.md'])).toBe(false);
  });

  it.each(['@state/WORKFLOW.md', '@state/Workflow.MD', '@state/wor\u212aflow.md'])(
    '[M3] rejects %s as another spelling of the state document',
    async (path) => {
      const { files } = await createRig();
      expect(await read(files, path)).toBe('private');
      expect(await write(files, path)).toBe('private');
    },
  );

  it('[M10] keeps the mode of a replaced file, and the content of its other hard links', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'run.sh': 'old' });
    await chmod(join(project, 'run.sh'), 0o755);
    await link(join(project, 'run.sh'), join(project, 'other-name'));
    expect(await write(files, '@project/run.sh')).toBe('written');
    expect((await stat(join(project, 'run.sh'))).mode & 0o777).toBe(0o755);
    expect(await readFile(join(project, 'other-name'), 'utf8')).toBe('old');
    expect((await readdir(project)).sort()).toEqual(['other-name', 'run.sh']);
  });

  it('[M10] rejects the second of two writers who saw the same file', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'a.md': 'old' });
    const identity = await files.withFile(at('@project/a.md'), async (file) => file.identity);
    const attempt = (text: string): Promise<unknown> =>
      files
        .replace(at('@project/a.md'), Buffer.from(text), { expected: identity, tempName: `.writing-${text}` })
        .catch((error: unknown) => error);
    const outcomes = await Promise.all(['one', 'two', 'six'].map(attempt));
    expect(outcomes.filter((outcome) => outcome instanceof ChangedMeanwhile)).toHaveLength(2);
    expect(await readdir(project)).toEqual(['a.md']);
    const made = await Promise.all(
      ['x', 'y'].map((text) =>
        files
          .replace(at('@project/new.md'), Buffer.from(text), {
            expected: 'absent',
            tempName: `.writing-${text}`,
          })
          .catch((error: unknown) => error),
      ),
    );
    expect(made.filter((outcome) => outcome instanceof ChangedMeanwhile)).toHaveLength(1);
  });

  it('[M10] reports what blocks a write, and leaves it unchanged', async () => {
    const { project, files } = await createRig();
    await writeTree(project, { 'file.md': 'x', 'dir/inner.md': 'y' });
    expect(await read(files, '@project/none.md')).toBe('ENOENT');
    expect(await read(files, '@project/file.md/below')).toBe('ENOTDIR');
    expect(await read(files, '@project/dir')).toBe('EISDIR');
    expect(await write(files, '@project/dir')).toBe('EISDIR');
    expect(await write(files, '@project')).toBe('EISDIR');
    expect(await write(files, '@project/file.md/below')).toBe('ENOTDIR');
    expect(await readTree(project)).toEqual({ 'file.md': 'x', 'dir/': '', 'dir/inner.md': 'y' });
  });

  it('[M4] never leaves the mount while folders are swapped for links during reads, listings and writes', async () => {
    const { root, project, outside, files } = await createRig();
    await writeTree(project, { 'swap/file.txt': 'INSIDE', 'real/file.txt': 'INSIDE' });
    await writeTree(outside, { 'file.txt': 'OUTSIDE' });
    const before = await readTree(outside);
    const swapper = spawn(process.execPath, ['-e', SWAPPER, project, outside], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void swapper.kill('SIGKILL'));
    await once(swapper.stdout, 'data');
    const seen = new Set<string>();
    // Until every outcome has occurred, and some more.
    const isSeen = (...wanted: string[]): boolean => wanted.some((entry) => seen.has(entry));
    let round = 0;
    while (round < 300 || !isSeen('INSIDE') || !isSeen('w:written') || !isSeen('link', 'w:link')) {
      round++;
      seen.add(await read(files, '@project/swap/file.txt'));
      seen.add(`w:${await write(files, `@project/swap/new-${round % 5}.txt`)}`);
      const listed = await names(files, '@project/swap').catch((error: unknown) => [
        error instanceof SandboxViolation ? 'refused' : 'gone',
      ]);
      seen.add(`l:${listed.includes('dir') ? 'OUTSIDE' : 'fine'}`);
    }
    swapper.kill('SIGKILL');
    await once(swapper, 'exit');
    expect([...seen].filter((entry) => entry.includes('OUTSIDE'))).toEqual([]);
    expect(await readTree(outside)).toEqual(before);
    expect((await lstat(root)).isDirectory()).toBe(true);
  });

  it('[M4] reads only files inside the mount, in any tree of folders and links', async () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const target = fc.oneof(
      fc
        .array(fc.constantFrom('a', 'b', 'c', '..', '.', 'outside', 'state', 'project'), {
          minLength: 1,
          maxLength: 5,
        })
        .map((parts) => parts.join('/')),
      fc.constantFrom('/', 'OUTSIDE', 'PROJECT', 'PROJECT/a'),
    );
    const entry = fc.record({
      path: fc.array(name, { minLength: 1, maxLength: 3 }),
      link: fc.option(target),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 8 }),
        fc.array(fc.constantFrom('a', 'b', 'c', 'secret.txt', 'dir'), { minLength: 1, maxLength: 5 }),
        async (entries, segments) => {
          const { project, outside, files } = await createRig();
          for (const { path, link: to } of entries) {
            const full = join(project, ...path);
            try {
              await mkdir(join(full, '..'), { recursive: true });
              if (to === null) await writeFile(full, 'INSIDE');
              else await symlink(to.replace('OUTSIDE', outside).replace('PROJECT', project), full);
            } catch (error) {
              // Two entries with the same path; the first wins.
              expect(errnoOf(error)).toBeDefined();
            }
          }
          // The setup may have written through a link; from here on nothing may.
          const before = await readTree(outside);
          const path = `@project/${segments.join('/')}`;
          const found = await read(files, path);
          expect(['INSIDE', 'link', 'ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP']).toContain(found);
          await write(files, path);
          expect(await readTree(outside)).toEqual(before);
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** Swaps the folder for a link to the outside and back, as fast as possible. */
const SWAPPER = `
const fs = require('node:fs');
const [project, outside] = process.argv.slice(1);
const swap = project + '/swap', parked = project + '/parked', link = project + '/link';
fs.symlinkSync(outside, link);
process.stdout.write('ready');
for (;;) {
  try {
    fs.renameSync(swap, parked);
    fs.renameSync(link, swap);
    fs.renameSync(swap, link);
    fs.renameSync(parked, swap);
  } catch {
    // A tool made the folder anew in the moment it was gone: put everything back in its place.
    while (!isInPlace()) {
      try {
        restore();
      } catch {
        // The tool was faster again; the next round tries once more.
      }
    }
  }
}
function isInPlace() {
  const [now, other] = [swap, link].map((path) => fs.lstatSync(path, { throwIfNoEntry: false }));
  return now?.isDirectory() && !fs.existsSync(parked) && other?.isSymbolicLink();
}
function restore() {
  const now = fs.lstatSync(swap, { throwIfNoEntry: false });
  if (now?.isSymbolicLink()) fs.renameSync(swap, link);
  else if (now && fs.existsSync(parked)) fs.rmSync(swap, { recursive: true, force: true });
  if (fs.existsSync(parked)) fs.renameSync(parked, swap);
}
`;
