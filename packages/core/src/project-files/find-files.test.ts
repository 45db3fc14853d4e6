import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMountedTree } from '../mounts/mounted-tree.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { codeOf, openProjectFilesRig } from '../testing/rigs/project-files-rig.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { findFiles } from './find-files.ts';

describe('finding files', () => {
  it('[F23] returns the best match first, and only paths that can be opened', async () => {
    const { files } = await openProjectFilesRig({
      content: {
        'docs/story-1.md': '1',
        'docs/stories/plan.md': '2',
        'notes/history.md': '3',
        'story.md': '4',
        'docs/other.md': '5',
      },
    });
    const { paths, isCut } = await files.find('story');
    expect(paths).toEqual(['@project/story.md', '@project/docs/story-1.md', '@project/notes/history.md']);
    expect(isCut).toBe(false);
    for (const path of paths) expect(await files.read(path)).toMatchObject({ kind: 'text' });
    expect((await files.find('nothing of that kind')).paths).toEqual([]);
    expect((await files.find('')).paths).toHaveLength(5);
    expect((await files.find('', { limit: 2 })).paths).toHaveLength(2);
  });

  it('[F23] returns hidden files if the query contains a dot', async () => {
    const content = { '.github/build.yml': '', 'docs/.notes.md': '', 'build.yml': '', 'docs/a.b.md': '' };
    const { files } = await openProjectFilesRig({ content });
    expect((await files.find('build')).paths).toEqual(['@project/build.yml']);
    expect((await files.find('.gi')).paths).toEqual(['@project/.github/build.yml']);
    expect((await files.find('docs/.n')).paths).toEqual(['@project/docs/.notes.md']);
    expect((await files.find('a.b')).paths).toEqual(['@project/docs/a.b.md']);
  });

  it('[F3] follows no links, enters no ignored folders, returns no secret files', async () => {
    const { root, project, files } = await openProjectFilesRig({
      isSecret: createSecretCheck(['*.salary']),
      content: {
        'node_modules/p/target.md': '',
        '.git/target.md': '',
        'a/target.md': '',
        '.env': 'KEY=1',
        'a/target.pem': '',
        'a/target.salary': '',
        '.ssh/target.md': '',
        '.writing-1-0123456789abcdef': '',
      },
    });
    await writeTree(join(root, 'outside'), { 'target.md': '' });
    await symlink(join(root, 'outside'), join(project, 'out'));
    await symlink('../outside/target.md', join(project, 'target-link.md'));
    await symlink('.', join(project, 'a', 'self'));
    execFileSync('mkfifo', [join(project, 'target-pipe')]);
    expect((await files.find('target')).paths).toEqual(['@project/a/target.md']);
    expect((await files.find('.')).paths).toEqual(['@project/a/target.md']);
    expect((await files.find('.env')).paths).toEqual([]);
  });

  it('[F3] skips names that cannot be written as a path', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'plan.md': '' } });
    for (const name of ['plan\n.md', 'pl\u202ean.md', 'plan\\x.md', 'plan\u0007.md'])
      await writeFile(join(project, name), '');
    await writeFile(Buffer.concat([Buffer.from(join(project, 'plan')), Buffer.from([0xff, 0xfe])]), '');
    await mkdir(join(project, 'hid\u200bden'));
    await writeFile(join(project, 'hid\u200bden', 'plan.md'), '');
    expect((await files.find('plan')).paths).toEqual(['@project/plan.md']);
  });

  it('[F3] stops at the entry limit with the nearest files, and reports it', async () => {
    const project = await tempFolder();
    const names = Array.from({ length: 40 }, (_, index) => `f${index % 4}/deep/file-${index}.md`);
    for (const name of [...names, 'file.md']) await writeTree(project, { [name]: '' });
    const sources = { tree: createMountedTree(project), isSecret: createSecretCheck() };
    const find = (entries: number, ms = 60_000) => findFiles('file', sources, { bounds: { entries, ms } });
    const few = await find(10);
    expect(few.isCut).toBe(true);
    expect(few.paths).toContain('@project/file.md');
    expect(few.paths.length).toBeLessThan(10);
    expect(await find(49)).toMatchObject({ isCut: false });
    expect(await find(48)).toMatchObject({ isCut: true });
    expect(await find(1_000, -1)).toEqual({ paths: [], isCut: true });
    const aborted = AbortSignal.abort();
    expect(await findFiles('file', sources, { signal: aborted })).toEqual({ paths: [], isCut: true });
  });

  it.skipIf(process.getuid?.() === 0)('[F3] skips unreadable folders', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'a/plan.md': '', 'b/plan.md': '' } });
    await chmod(join(project, 'a'), 0);
    expect((await files.find('plan')).paths).toEqual(['@project/b/plan.md']);
    await chmod(join(project, 'a'), 0o700);
  });

  it('reports a missing project folder in one sentence', async () => {
    const { project, files } = await openProjectFilesRig();
    await rm(project, { recursive: true });
    expect(await codeOf(files.find('a'))).toBe('FOLDER_NOT_FOUND');
  });

  it('[F23] handles any query', async () => {
    const { files } = await openProjectFilesRig({ content: { 'docs/plan (1) [x].md': '', 'a.md': '' } });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
        const { paths } = await files.find(text);
        for (const path of paths) expect(['@project/docs/plan (1) [x].md', '@project/a.md']).toContain(path);
      }),
    );
  });
});
