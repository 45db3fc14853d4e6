import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type RawEntry, rawZip } from '../../../core/src/testing/packages/raw-zip.ts';
import { readTree, tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { openWorkspaceRig } from '../testing/workspace-rig.ts';
import type { ProjectLimits } from './project-tree.ts';

async function* inParts(bytes: Buffer, size = 7_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function openUploads(limits: Partial<ProjectLimits> = {}) {
  const rig = await openWorkspaceRig();
  const projectId = await rig.createProject();
  const scratch = await tempFolder();
  const workspaces = await rig.openWorkspaces({ scratch, limits });
  const upload = { projectId, by: 'ann' };
  return {
    zip: (bytes: Buffer) => workspaces.uploadArchive({ ...upload, content: inParts(bytes) }),
    files: (files: Record<string, Buffer>) => {
      const content = (async function* () {
        for (const [path, bytes] of Object.entries(files)) yield { path, content: inParts(bytes) };
      })();
      return workspaces.uploadFiles({ ...upload, content });
    },
    left: () => readdirSync(join(scratch, 'uploads')),
    tree: async () =>
      Object.fromEntries(
        Object.entries(await readTree(await workspaces.readHead(projectId))).filter(
          ([path]) => !path.endsWith('/'),
        ),
      ),
  };
}

it('a zip becomes a version, without the folder around it, data of git and files of systems', async () => {
  const { zip, tree, left } = await openUploads();
  const added = await zip(
    rawZip([
      { name: 'site/' },
      { name: 'site/a.md', data: 'a\n' },
      { name: 'site/docs/b.md', data: 'b\n'.repeat(20_000) },
      { name: 'site/.git/config', data: '[core]\n' },
      { name: 'site/.DS_Store', data: 'x' },
      { name: '__MACOSX/site/._a.md', data: 'x' },
    ]),
  );
  expect(added.version).toBe(1);
  expect(await tree()).toEqual({ 'a.md': 'a\n', 'docs/b.md': 'b\n'.repeat(20_000) });
  expect(left()).toEqual([]);
});

it('files of any size are added or replaced', async () => {
  const { files, tree, left } = await openUploads();
  const large = Buffer.alloc(6 * 1_048_576, 'large ');
  await files({ 'a.md': Buffer.from('a'), 'deep/er/large.txt': large });
  await files({ 'a.md': Buffer.from('b') });
  expect(await tree()).toEqual({ 'a.md': 'b', 'deep/er/large.txt': large.toString() });
  expect(left()).toEqual([]);
});

const ATTACKS: [what: string, entries: RawEntry[]][] = [
  [
    'a path out of the project',
    [
      { name: '../a', data: 'x' },
      { name: 'b', data: 'x' },
    ],
  ],
  [
    'an absolute path',
    [
      { name: '/etc/a', data: 'x' },
      { name: 'b', data: 'x' },
    ],
  ],
  [
    'a backslash',
    [
      { name: 'a\\b', data: 'x' },
      { name: 'b', data: 'x' },
    ],
  ],
  [
    'a link',
    [
      { name: 'a', data: '/etc/passwd', mode: 0o120777 },
      { name: 'b', data: 'x' },
    ],
  ],
  [
    'a device',
    [
      { name: 'a', data: '', mode: 0o020666 },
      { name: 'b', data: 'x' },
    ],
  ],
  [
    'names that differ in case',
    [
      { name: 'x/A', data: 'x' },
      { name: 'x/a', data: 'y' },
      { name: 'b', data: 'x' },
    ],
  ],
  [
    'names that differ in form',
    [
      { name: 'é', data: 'x' },
      { name: 'e\u0301', data: 'y' },
    ],
  ],
  [
    'folders that differ in case',
    [
      { name: 'x/Docs/A', data: 'x' },
      { name: 'x/docs/b', data: 'y' },
    ],
  ],
  [
    'a file that is a folder',
    [
      { name: 'x/a', data: 'x' },
      { name: 'x/a/b', data: 'y' },
    ],
  ],
  [
    'the same name twice',
    [
      { name: 'a', data: 'x' },
      { name: 'a', data: 'y' },
    ],
  ],
  [
    'a size that is not true',
    [
      { name: 'a', data: 'x'.repeat(500), declaredSize: 10 },
      { name: 'b', data: 'x' },
    ],
  ],
  [
    'a checksum that is not true',
    [
      { name: 'a', data: 'x', declaredCrc: 1 },
      { name: 'b', data: 'x' },
    ],
  ],
  [
    'an encrypted file',
    [
      { name: 'a', data: 'x', flags: 1 },
      { name: 'b', data: 'x' },
    ],
  ],
  [
    'a device of another system',
    [
      { name: 'x/NUL.txt', data: 'x' },
      { name: 'b', data: 'x' },
    ],
  ],
];

it.each(ATTACKS)('refuses a zip with %s, and stores no version', async (_, entries) => {
  const { zip, tree, left } = await openUploads();
  await expect(zip(rawZip(entries))).rejects.toMatchObject({ code: 'USAGE' });
  expect([await tree(), left()]).toEqual([{}, []]);
});

it('refuses what is not a zip, too large, or too much', async () => {
  const { zip, files, left } = await openUploads({ files: 2, fileBytes: 1_000, bytes: 1_500 });
  await expect(zip(Buffer.from('%PDF'))).rejects.toMatchObject({ code: 'USAGE' });
  await expect(zip(rawZip([{ name: 'a', data: 'x'.repeat(2_000) }]))).rejects.toMatchObject({
    code: 'FILE_TOO_LARGE',
  });
  await expect(files({ a: Buffer.alloc(2_000) })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  await expect(files({ '../a': Buffer.alloc(1) })).rejects.toMatchObject({ code: 'USAGE' });
  const three = ['a', 'b', 'c'].map((name) => ({ name, data: 'x' }));
  await expect(zip(rawZip(three))).rejects.toMatchObject({ code: 'USAGE' });
  await expect(zip(Buffer.alloc(5_000))).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  const two = { a: Buffer.alloc(900), b: Buffer.alloc(900) };
  await expect(files(two)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  expect(left()).toEqual([]);
});
