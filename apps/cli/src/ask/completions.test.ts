import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listFolder } from '../list-folder.ts';
import { tempDir } from '../testing/temp-dir.ts';
import { type CompletionSources, complete, describeCompletion } from './completions.ts';

const SOURCES: CompletionSources = {
  mode: 'agent',
  menu: [
    { index: 1, label: 'create-story', description: 'Writes a story', handlers: [] },
    { index: 2, label: 'Say what is missing', description: 'Say what is missing', handlers: [] },
  ],
  mounts: ['@project', '@pkg'],
  listFolder: (mount, folder) =>
    Promise.resolve(folder === '' ? (mount === '@pkg' ? ['tasks/'] : ['docs/', 'package.json']) : ['a.md']),
};

const textsFor = async (before: string, more: Partial<CompletionSources> = {}): Promise<string[]> =>
  (await complete(before, { ...SOURCES, ...more })).hits.map(({ text }) => text);

describe('completing a line', () => {
  it.each([
    ['/s', ['/stop']],
    ['/re', ['/resume']],
    ['/x', []],
    ['/stop now', []],
    ['cre', ['create-story']],
    ['', ['create-story']],
    ['Say', []],
    ['see @', ['@project/', '@pkg/', '@project/docs/', '@project/package.json']],
    ['see @PA', ['@project/package.json']],
    ['@pk', ['@pkg/']],
    ['@pkg/t', ['@pkg/tasks/']],
    ['@project/docs/', ['@project/docs/a.md']],
    ['@docs/a', ['@project/docs/a.md']],
    ['mail me@d', []],
  ])('[C15] completes "%s"', async (before, texts) => {
    expect(await textsFor(before)).toEqual(texts);
  });

  it('[C15] offers menu names only in agent mode', async () => {
    expect(await textsFor('cre', { mode: 'run' })).toEqual([]);
    expect(await textsFor('/me', { mode: 'run' })).toEqual(['/menu']);
    expect(await textsFor('@pk', { mounts: ['@project'] })).toEqual([]);
  });

  it('[C15] lists commands with help, and files in columns', async () => {
    const options = { style: (_: string, text: string) => text, width: 60 };
    expect(describeCompletion(await complete('/s', SOURCES), options)).toEqual([
      '  /stop  Stop the run and leave it; /resume continues it',
    ]);
    const hits = Array.from({ length: 65 }, (_, index) => ({ text: `@project/${index}\u001b` }));
    const lines = describeCompletion({ from: '@', hits }, options);
    expect(lines[0]).toMatch(/^ {2}@project\/0\uFFFD {3}@project\/1\uFFFD/);
    expect(lines.at(-1)).toBe('  … 5 more');
  });
});

describe('listing a folder', () => {
  it('[C15] skips hidden entries and links that lead outside', async () => {
    const root = join(tempDir(), 'project');
    for (const folder of ['docs', 'node_modules', '.git'])
      await mkdir(join(root, folder), { recursive: true });
    for (const file of ['b.md', 'a.md', '.env', 'x\u0007y']) await writeFile(join(root, file), '');
    await writeFile(join(root, 'docs/in.md'), '');
    await symlink('/', join(root, 'out'));
    await symlink('docs', join(root, 'link'));
    await symlink('nowhere', join(root, 'broken'));
    expect(await listFolder(root, '')).toEqual(['a.md', 'b.md', 'docs/', 'link/']);
    expect(await listFolder(root, 'link/')).toEqual(['in.md']);
    for (const folder of [
      'out/',
      '../',
      'docs/../../',
      './',
      '/etc/',
      'a.md/',
      'docs',
      'docs\\/',
      '.git/',
      'none/',
    ])
      expect(await listFolder(root, folder)).toEqual([]);
  });

  it('[C15] lists nothing for an empty folder, whatever path is typed', async () => {
    const root = tempDir();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (folder) => {
        expect(await listFolder(root, folder === '' ? 'x/' : folder)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});
