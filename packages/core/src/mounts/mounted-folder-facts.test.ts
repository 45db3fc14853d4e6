import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asOrdinaryUser } from '../testing/as-ordinary-user.ts';
import { mountPathOf as at } from '../testing/mount-path-of.ts';
import { readTree, tempFolder } from '../testing/temp-folder.ts';
import { createMountedFs } from './mounted-fs.ts';
import { createMountedTree } from './mounted-tree.ts';
import { createSecretCheck } from './sensitive/secret-files.ts';

async function createRig() {
  const root = await tempFolder();
  const roots = { project: join(root, 'project'), pkg: join(root, 'pkg'), state: join(root, 'state') };
  for (const folder of Object.values(roots)) await mkdir(folder);
  return { root, ...roots, files: createMountedFs(roots, createSecretCheck()) };
}

describe('creating a folder for a run', () => {
  it('creates missing parents, and accepts an existing folder', async () => {
    const { project, files } = await createRig();
    for (let times = 0; times < 2; times++) await files.makeFolder(at('@project/a/b/c'));
    expect(await readTree(project)).toEqual({ 'a/': '', 'a/b/': '', 'a/b/c/': '' });
  });

  it.runIf(process.platform !== 'win32')('throws the system error if it fails', async () => {
    const { root, project, files } = await createRig();
    await mkdir(join(project, 'closed'));
    await asOrdinaryUser(root, async () => {
      await chmod(join(project, 'closed'), 0o555);
      await expect(files.makeFolder(at('@project/closed/a'))).rejects.toMatchObject({ code: 'EACCES' });
    });
  });

  it('[M6] never creates a folder in the package', async () => {
    const { pkg, files } = await createRig();
    await expect(files.makeFolder(at('@pkg/a'))).rejects.toMatchObject({ reason: 'read-only' });
    expect(await readTree(pkg)).toEqual({});
  });
});

it('[F15] distinguishes a project folder from one that replaced it', async () => {
  const { project } = await createRig();
  const { dev, ino, size, ctimeNs, birthtimeNs } = await stat(project, { bigint: true });
  expect(createMountedTree(project).stat(at('@project'))).toMatchObject({
    kind: 'folder',
    birthtimeNs,
    identity: { device: dev, inode: ino, size, changedNs: ctimeNs },
  });
});
