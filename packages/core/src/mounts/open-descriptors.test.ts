import { readdirSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mountPathOf as at } from '../testing/mount-path-of.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import type { MountPath } from './mount-path.ts';
import { createMountedFs } from './mounted-fs.ts';
import { createMountedTree } from './mounted-tree.ts';
import { createSecretCheck } from './sensitive/secret-files.ts';

async function createRig() {
  const root = await tempFolder();
  const project = join(root, 'project');
  for (const name of ['project', 'pkg', 'state', 'outside']) await mkdir(join(root, name));
  await writeTree(project, {
    'a/b/c.md': 'text',
    'a/d.md': 'text',
    '.env': 'SECRET',
    'a/credentials': 'SECRET',
  });
  await symlink('../a/b', join(project, 'a', 'link'));
  await symlink('../../outside', join(project, 'a', 'out'));
  await symlink('credentials', join(project, 'a', 'innocent'));
  await symlink('loop', join(project, 'a', 'loop'));
  const roots = { project, pkg: join(root, 'pkg'), state: join(root, 'state') };
  return {
    files: createMountedFs(roots, createSecretCheck()),
    tree: createMountedTree(project),
    content: () => Buffer.from('new'),
  };
}

type Rig = Awaited<ReturnType<typeof createRig>>;

async function drain(all: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of all);
}

async function takeFirst(all: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of all) break;
}

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('text');
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('text');
  throw new Error('aborted');
}

let count = 0;
const fresh = (): MountPath => at(`@project/a/new-${count++}`);
const file = { mode: 0o644, modifiedMs: 0, content: pieces() };

const CALLS: [what: string, call: (rig: Rig) => unknown][] = [
  ['resolving', ({ files }) => files.resolve(at('@project/a/link/c.md'), 'read')],
  ['resolving a missing file', ({ files }) => files.resolve(at('@project/a/x/y/z'), 'write')],
  ['resolving a path that leaves the mount', ({ files }) => files.resolve(at('@project/a/out/x'), 'read')],
  ['resolving a secret behind a link', ({ files }) => files.resolve(at('@project/a/innocent'), 'read')],
  ['resolving a loop', ({ files }) => files.resolve(at('@project/a/loop'), 'read')],
  ['reading', ({ files }) => files.withFile(at('@project/a/link/c.md'), async () => undefined)],
  ['reading a folder', ({ files }) => files.withFile(at('@project/a/b'), async () => undefined)],
  ['reading a missing file', ({ files }) => files.withFile(at('@project/a/b/x'), async () => undefined)],
  [
    'a reader that throws',
    ({ files }) => files.withFile(at('@project/a/d.md'), () => Promise.reject(new Error('x'))),
  ],
  ['listing', ({ files }) => drain(files.entries(at('@project/a/link')))],
  ['listing only the first batch', ({ files }) => takeFirst(files.entries(at('@project/a')))],
  ['listing a file', ({ files }) => drain(files.entries(at('@project/a/d.md')))],
  ['writing', ({ files, content }) => files.replace(at('@project/a/d.md'), content(), { tempName: '.t' })],
  [
    'writing into new folders',
    ({ files, content }) =>
      files.replace({ ...fresh(), segments: ['a', `n${count}`, 'm', 'x'] }, content(), { tempName: '.t' }),
  ],
  [
    'writing over a folder',
    ({ files, content }) => files.replace(at('@project/a/b'), content(), { tempName: '.t' }),
  ],
  [
    'writing through a link',
    ({ files, content }) => files.replace(at('@project/a/link/c.md'), content(), { tempName: '.t' }),
  ],
  ['removing a missing file', ({ files }) => files.remove(at('@project/a/x'))],
  ['removing through a link', ({ files }) => files.remove(at('@project/a/link/c.md'))],
  ['passing on a folder', ({ files }) => files.withFolder(at('@project/a/link'), async () => undefined)],
  [
    'a callback that throws',
    ({ files }) => files.withFolder(at('@project/a'), () => Promise.reject(new Error('x'))),
  ],
  ['looking', ({ tree }) => tree.stat(at('@project/a/d.md'))],
  ['stat of a missing entry', ({ tree }) => tree.stat(at('@project/a/x/y'))],
  ['stat through a link', ({ tree }) => tree.stat(at('@project/a/link/c.md'))],
  ['stat of many names', ({ tree }) => tree.statAll(at('@project/a'), ['b', 'x'])],
  ['listing a tree', ({ tree }) => drain(tree.entries(at('@project/a')))],
  ['listing the first batch of a tree', ({ tree }) => takeFirst(tree.entries(at('@project/a')))],
  ['visiting', ({ tree }) => drain(tree.visit(at('@project/a')))],
  ['visiting only the first entries', ({ tree }) => takeFirst(tree.visit(at('@project/a')))],
  ['visiting the project itself', ({ tree }) => drain(tree.visit(at('@project')))],
  [
    'ending a visit deep down',
    async ({ tree }) => {
      for await (const { segments } of tree.visit(at('@project/a'))) if (segments.length === 2) break;
    },
  ],
  [
    'creating and removing a folder',
    async ({ tree }) => {
      const folder = fresh();
      await tree.makeFolder(folder);
      await tree.removeEmptyFolder(folder);
    },
  ],
  ['creating a folder that exists', ({ tree }) => tree.makeFolder(at('@project/a/b'))],
  [
    'moving there and back',
    async ({ tree }) => {
      await tree.move(at('@project/a/b'), at('@project/a/e'));
      await tree.move(at('@project/a/e'), at('@project/a/b'));
    },
  ],
  ['moving over an entry', ({ tree }) => tree.move(at('@project/a/b'), at('@project/a/d.md'))],
  [
    'removing a tree',
    async ({ tree }) => {
      const folder = fresh();
      await tree.makeFolder(folder);
      await tree.addFile({ ...folder, segments: [...folder.segments, 'x'] }, { ...file, content: pieces() });
      await tree.remove(folder);
    },
  ],
  ['adding a file', ({ tree }) => tree.addFile(fresh(), { ...file, content: pieces() })],
  ['adding a file whose content throws', ({ tree }) => tree.addFile(fresh(), { ...file, content: broken() })],
  ['adding a link', ({ tree }) => tree.addLink(fresh(), 'd.md')],
  ['sealing', ({ tree }) => tree.seal(at('@project/a'), 0o755)],
  ['passing on a system path', ({ tree }) => tree.withSystemPath(at('@project/a/d.md'), () => undefined)],
  [
    'passing on a missing system path',
    ({ tree }) => tree.withSystemPath(at('@project/a/x'), () => undefined),
  ],
  [
    'reading visited files',
    async ({ tree }) => {
      for await (const { entry, withContent } of tree.visit(at('@project/a/d.md')))
        if (entry.kind === 'file') await withContent(async () => undefined);
    },
  ],
  [
    'watching',
    ({ tree }) =>
      tree
        .watch(at('@project/a'), { isDeep: false, onTouched: () => undefined, onLost: () => undefined })
        .stop(),
  ],
  [
    'watching a missing folder',
    ({ tree }) =>
      tree.watch(at('@project/x'), { isDeep: false, onTouched: () => undefined, onLost: () => undefined }),
  ],
];

describe.runIf(process.platform === 'linux')('open descriptors', () => {
  it.each(CALLS)('[M4] are all closed after %s', async (_, call) => {
    const rig = await createRig();
    const attempt = async (): Promise<void> => {
      try {
        await call(rig);
      } catch {
        // The outcome does not matter here, only what stays open.
      }
      // A watcher is closed in the next turn.
      await new Promise((resolve) => setImmediate(resolve));
    };
    const open = (): number => readdirSync('/proc/self/fd').length;
    // The first call may load shared modules.
    await attempt();
    const before = open();
    for (let times = 0; times < 4; times++) await attempt();
    expect(open() - before).toBeLessThan(4);
  });
});
