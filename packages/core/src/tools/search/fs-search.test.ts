import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSearchRig, FINDERS, ripgrep } from '../../testing/rigs/search-rig.ts';
import { writeTree } from '../../testing/temp-folder.ts';
import type { FinderResult, LineFinder } from './line-finder.ts';

describe.each(FINDERS)('fs.search with %s', (_, finder) => {
  it('[T30] returns position, text and context lines of every match, in order', async () => {
    const { search } = await createSearchRig(finder, {
      'b.txt': 'one\r\ntwo Needle two needle\r\nthree\r\n',
      'a/c.txt': 'needle\nx\ny\nz äö𝒳 NEEDLE',
    });
    const result = await search({ query: 'needle' });
    expect(result).toEqual({
      ok: true,
      found: '3 matches in 2 files',
      files: [
        { path: '@project/a/c.txt', lines: '1: needle\n2- x\n3- y\n4: z äö𝒳 NEEDLE' },
        { path: '@project/b.txt', lines: '1- one\n2: two Needle two needle\n3- three' },
      ],
      matches: expect.anything() as unknown,
    });
    const regex = await search({ query: 'z ...\\s(?:NEE)DLE$', regex: true, before: 2, after: 0 });
    expect(regex.files).toEqual([{ path: '@project/a/c.txt', lines: '2- x\n3- y\n4: z äö𝒳 NEEDLE' }]);
    const alone = await search({ query: 'needle', context: 0 });
    expect(alone.files[1]?.lines).toBe('2: two Needle two needle');
    const around = await search({ query: 'NEEDLE', caseSensitive: true, context: 2 });
    expect(around).toMatchObject({
      found: '1 match in 1 file',
      files: [{ lines: '2- x\n3- y\n4: z äö𝒳 NEEDLE' }],
    });
  });

  it('[T30] searches for literal text unless regex is set, and ignores case unless caseSensitive is set', async () => {
    const { search, positions } = await createSearchRig(finder, {
      a: 'f(x).*\nFX\nÉTÉ\n\u212aelvin ſo\ntwo\r\n',
    });
    for (const [args, lines] of [
      [{ query: 'F(X).*' }, [1]],
      [{ query: 'f.?x', regex: true }, [1, 2]],
      [{ query: 'fx', caseSensitive: true }, []],
      [{ query: 'FX', caseSensitive: true }, [2]],
      [{ query: 'F(X).*', caseSensitive: true }, []],
      [{ query: 'été' }, [3]],
      [{ query: 'été', caseSensitive: true }, []],
      [{ query: 'KELVIN SO' }, [4]],
      [{ query: '^TWO$', regex: true }, [5]],
      [{ query: '\\bFX\\b|t[^x]o$', regex: true, caseSensitive: true }, [2, 5]],
      [{ query: '(?i)fx', regex: true, caseSensitive: true }, [2]],
      [{ query: '(?P<name>x\\)\\.)\\*', regex: true }, [1]],
      [{ query: '-e' }, []],
    ] as const) {
      expect(await positions(args), JSON.stringify(args)).toEqual(lines.map((line) => `a:${line}`));
    }
    expect(await search({ pattern: 'two' })).toMatchObject({ matches: [{ line: 5 }] });
  });

  it('[T30] searches a file or folder of any mount, also through links inside the mount', async () => {
    const { root, search, positions } = await createSearchRig(finder, {
      'docs/a.md': 'needle\n',
      '.hidden/b.md': 'needle\n',
      'other.md': 'needle\n',
    });
    await symlink('docs', join(root('project'), 'link'));
    expect(await positions({ path: '@project/docs' })).toEqual(['docs/a.md:1']);
    expect(await positions({ path: 'docs/a.md', globs: ['*.ts'] })).toEqual(['docs/a.md:1']);
    expect(await positions({ path: '@project/.hidden/b.md' })).toEqual(['.hidden/b.md:1']);
    expect(await positions({ path: 'link' })).toEqual(['docs/a.md:1']);
    const pathOf = async (path: string) => (await search({ query: 'needle', path })).matches[0]?.path;
    expect(await pathOf('steps/one.md')).toBe('@pkg/steps/one.md');
    expect(await pathOf('@state')).toBe('@state/workflow.md');
  });

  it('[T30] skips files ignored by .gitignore, with and without git, wherever the search starts', async () => {
    const { root, folder, positions } = await createSearchRig(finder, {
      '.gitignore': '# c\n*.log\n/build/\nsub/only.txt\n!keep.log\nartifacts\n',
      'a.log': 'needle',
      'keep.log': 'needle',
      'build/a.txt': 'needle',
      'lib/build/a.txt': 'needle',
      'artifacts/a.md': 'needle',
      'sub/only.txt': 'needle',
      'sub/.gitignore': 'gen\n!b.log\n',
      'sub/b.log': 'needle',
      'sub/deep/gen/a.txt': 'needle',
      'sub/deep/c.log': 'needle',
      'sub/deep/d.txt': 'needle',
      'sub/deep/.gitignore': '!c.log',
    });
    await writeFile(join(folder, '.gitignore'), '*\n');
    await writeFile(join(root('project'), '.ignore'), '*\n');
    const expected = [
      'keep.log:1',
      'lib/build/a.txt:1',
      'sub/b.log:1',
      'sub/deep/c.log:1',
      'sub/deep/d.txt:1',
    ];
    expect(await positions({})).toEqual(expected);
    expect(await positions({ path: 'sub' })).toEqual(expected.slice(2));
    expect(await positions({ path: 'sub/deep' })).toEqual(expected.slice(3));
    expect(await positions({ path: 'artifacts' })).toEqual(['artifacts/a.md:1']);
    expect(await positions({ path: 'build' })).toEqual(['build/a.txt:1']);
    expect(await positions({ globs: ['*.txt', '**/*'] })).toEqual(expected);
    expect(await positions({ globs: ['*.txt'] })).toEqual(['lib/build/a.txt:1', 'sub/deep/d.txt:1']);
    await mkdir(join(root('project'), '.git'));
    expect(await positions({})).toEqual(expected);
  });

  it('[T30] skips hidden files, caches, links and binary files; globs select among the others', async () => {
    const { root, positions } = await createSearchRig(finder, {
      'a.ts': 'needle',
      'a.test.ts': 'needle',
      'src/b.tsx': 'needle',
      'src/lib/c.md': 'needle',
      '.github/ci.yml': 'needle',
      '.cache/x.ts': 'needle',
      'node_modules/m/index.ts': 'needle',
      'x/node_modules/m/index.ts': 'needle',
      '.git/config': 'needle',
      'binary.ts': Buffer.from('needle\n\0\n'),
      'late.bin': `needle\n${'x\n'.repeat(100_000)}\0`,
      'wide.txt': Buffer.from('\ufeffx\nneedle\n', 'utf16le'),
      'marked.txt': '\ufeffneedle',
      'large.txt': `needle${' '.repeat(17 * 1024 * 1024)}`,
    });
    await writeTree(root('outside'), { 'o.ts': 'needle' });
    await symlink(root('outside'), join(root('project'), 'out'));
    await symlink('a.ts', join(root('project'), 'again.ts'));
    spawnSync('mkfifo', [join(root('project'), 'pipe.ts')]);
    for (const [globs, names] of [
      [undefined, ['a.test.ts:1', 'a.ts:1', 'marked.txt:1', 'src/b.tsx:1', 'src/lib/c.md:1', 'wide.txt:2']],
      [['*.ts'], ['a.test.ts:1', 'a.ts:1']],
      [
        ['*.{ts,tsx}', '!*.test.ts'],
        ['a.ts:1', 'src/b.tsx:1'],
      ],
      [
        ['!*.txt', '!src'],
        ['a.test.ts:1', 'a.ts:1'],
      ],
      [['lib/**'], ['src/lib/c.md:1']],
      [['@project/src/**', '!/src/lib/'], ['src/b.tsx:1']],
      [['src'], ['src/b.tsx:1', 'src/lib/c.md:1']],
      [['./a.ts'], ['a.ts:1']],
      [
        ['[ab].t?x', '**/c.[!t]d'],
        ['src/b.tsx:1', 'src/lib/c.md:1'],
      ],
      [['.github/**'], ['.github/ci.yml:1']],
      [
        ['*.ts', '.github'],
        ['.github/ci.yml:1', 'a.test.ts:1', 'a.ts:1'],
      ],
      [['node_modules/**'], []],
    ] as const) {
      expect(await positions(globs ? { globs } : {}), JSON.stringify(globs)).toEqual(names);
    }
    expect(await positions({ query: '^needle', regex: true, globs: ['*.txt'] })).toEqual([
      'marked.txt:1',
      'wide.txt:2',
    ]);
    expect(await positions({ path: 'x/node_modules/m' })).toEqual(['x/node_modules/m/index.ts:1']);
  });

  it('[T30] truncates long lines around the match, and the whole result', async () => {
    const line = `${'a'.repeat(5_000)} needle ${'b'.repeat(5_000)}`;
    const { search } = await createSearchRig(finder, {
      'one/long.txt': `${'c'.repeat(900)}\n${line}\nend\n`,
      'two/many.txt': 'needle\n'.repeat(400),
      'three/wide.txt': `needle ${'😀'.repeat(190)}\n`.repeat(300),
    });
    const long = (await search({ query: 'needle', path: 'one' })).matches[0];
    expect(long).toMatchObject({ line: 2, before: [`${'c'.repeat(400)}…`], after: ['end'] });
    expect(long?.text).toMatch(/^…a+ needle b+…$/);
    expect(long?.text).toHaveLength(402);

    const some = await search({ query: 'needle', path: 'two', maxMatches: 3 });
    expect(some).toMatchObject({ truncated: true, found: '3 of 400 matches in 1 file' });
    expect(some.matches).toHaveLength(3);
    expect(some.hint).toMatch(/path, globs or a longer query/);
    const all = await search({ query: 'needle', path: 'two', maxMatches: 400 });
    expect(all).not.toHaveProperty('truncated');
    expect(all.matches).toHaveLength(400);

    const wide = await search({ query: 'needle', path: 'three', maxMatches: 300, before: 20, after: 20 });
    expect(wide.truncated).toBe(true);
    expect(wide.matches.length).toBeGreaterThan(0);
    expect(Buffer.byteLength(JSON.stringify({ ...wide, matches: [] }))).toBeLessThan(50_000);
  });

  it('[T30] groups matches by file, each line once, and counts all of them', async () => {
    const story = (name: string): string =>
      Array.from(
        { length: 24 },
        (_, line) =>
          `${line % 3 === 0 ? '- the needle' : 'A sentence'} of story ${name}, as it stands in the sprint, ${line}\n`,
      ).join('');
    const { search } = await createSearchRig(finder, {
      'stories/one.md': story('one'),
      'stories/two.md': story('two'),
      'stories/three.md': story('three'),
      'stories/four.md': story('four'),
    });
    const { matches: _, ...result } = await search({ query: 'needle' });
    expect(result.found).toBe('32 matches in 4 files');
    const bytes = Buffer.byteLength(JSON.stringify(result));
    const around = await search({ query: 'needle', context: 1 });
    const single = around.matches.map((match) => ({ ...match, column: 7 }));
    const before = Buffer.byteLength(
      JSON.stringify({ ok: true, matches: single, stats: { matchesFound: 32 } }),
    );
    console.info(`${bytes} bytes for 32 matches, ${before} as one object for each match`);
    expect(bytes).toBeLessThanOrEqual(before / 2);
    const { matches: __, ...wide } = around;
    expect(Buffer.byteLength(JSON.stringify(wide))).toBeLessThan(before * 0.75);
  });

  it('[T30] suggests what to try when there is no match', async () => {
    const { search } = await createSearchRig(finder, { 'a.txt': 'hay\n' });
    const hint = async (args: Record<string, unknown>) => (await search({ query: 'needle', ...args })).hint;
    expect(await search({ query: 'needle' })).toMatchObject({ ok: true, matches: [] });
    expect(await hint({})).toMatch(/^No line matches.*shorter query/);
    expect(await hint({ query: 'a|b' })).toMatch(/set regex/);
    expect(await hint({ caseSensitive: true, globs: ['a*'] })).toMatch(/caseSensitive, or omit globs/);
    expect(await hint({ globs: ['*.zzz'] })).toMatch(/^No file was searched. Check globs/);
  });

  it('rejects an invalid search with one sentence and without a real path', async () => {
    const { root, folder, search } = await createSearchRig(finder, { '.env': 'needle', 'a/b.txt': 'needle' });
    await symlink(root('outside'), join(root('project'), 'out'));
    spawnSync('mkfifo', [join(root('project'), 'pipe')]);
    for (const [args, code, message] of [
      [{ path: '../x' }, 'E_SANDBOX_VIOLATION', /leads out/],
      [{ path: '@home/x' }, 'E_SANDBOX_VIOLATION', /not a mount/],
      [{ path: 'out' }, 'E_SANDBOX_VIOLATION', /link/],
      [{ path: 'pipe' }, 'E_SANDBOX_VIOLATION', /pipe/],
      [{ path: '.env' }, 'E_SANDBOX_VIOLATION', /secret/],
      [{ path: 'none' }, 'ENOENT', /fs\.list/],
      [{ path: 'a/b.txt/c' }, 'ENOENT', /fs\.list/],
      [{ globs: ['*.{ts'] }, 'TOOL_ARGS_INVALID', /glob.*braces/],
      [{ query: '(a', regex: true }, 'TOOL_ARGS_INVALID', /group.*omit "regex"/i],
      [{ query: 'a{2,1}', regex: true }, 'TOOL_ARGS_INVALID', /is invalid/],
    ] as const) {
      const result = await search({ query: 'needle', ...args });
      expect(result, JSON.stringify(args)).toMatchObject({ ok: false, error: { code } });
      expect(result.ok ? '' : result.error.message).toMatch(message);
      expect(JSON.stringify(result)).not.toContain(folder);
    }
    await expect(search({ query: 'a\nb' })).rejects.toThrow(/single line/);
    await expect(search({ query: 'a', maxMatches: 501 })).rejects.toThrow();
  });

  it('[T34] never shows a secret file, nor files outside while folders are swapped for links', async () => {
    const inside = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`swapped/${index}/data.txt`, 'the needle inside\n']),
    );
    const { root, search, positions } = await createSearchRig(finder, {
      ...inside,
      '.env.local': 'needle',
      'server.key': 'needle',
      'sub/credentials.json': 'needle',
      '.ssh/config': 'needle',
    });
    expect(await positions({ globs: ['.env*', '*.key', '*.json', '.ssh/**'] })).toEqual([]);
    expect(await positions({})).toHaveLength(30);
    for (const path of Object.keys(inside))
      await writeTree(root('outside'), { [path.replace('swapped/', '')]: 'needle OUTSIDE\n'.repeat(3) });
    const swapper = spawn(process.execPath, ['-e', SWAPPER, root('project'), root('outside')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(async () => {
      swapper.kill('SIGKILL');
      if (swapper.exitCode === null && swapper.signalCode === null) await once(swapper, 'close');
    });
    await once(swapper.stdout, 'data');
    for (let round = 0; round < 60; round++) {
      const result = await search({
        query: round % 2 ? 'needle' : 'nee.le',
        regex: round % 2 === 0,
        path: round % 3 ? '@project' : 'swapped',
      });
      expect(JSON.stringify(result)).not.toContain('OUTSIDE');
    }
  });
});

describe('fs.search', () => {
  it('[T34] drops candidates of a finder that do not match when read through the mount', async () => {
    const candidates = [
      'good.txt',
      'link',
      'out/o.txt',
      '../outside/o.txt',
      '.env',
      'pipe',
      'none',
      'a/../good.txt',
    ];
    const wrongFinder: LineFinder = {
      async *find() {
        for (const path of candidates)
          yield { kind: 'lines', path, lines: [1, 2, 99] } satisfies FinderResult;
      },
      matchLines: ripgrep.matchLines,
    };
    const { root, search, positions } = await createSearchRig(wrongFinder, {
      'good.txt': 'needle\nhay\n',
      '.env': 'needle\n',
    });
    await writeTree(root('outside'), { 'o.txt': 'needle OUTSIDE\n' });
    await symlink(join(root('outside'), 'o.txt'), join(root('project'), 'link'));
    await symlink(root('outside'), join(root('project'), 'out'));
    spawnSync('mkfifo', [join(root('project'), 'pipe')]);
    expect(await positions({ globs: ['**', '.env'] })).toEqual(['good.txt:1']);
    expect((await search({ query: 'n.*e', regex: true })).matches).toHaveLength(1);
  });
});

/** Keeps swapping a folder for a link to the outside and back, slowly enough for a finder to enter either. */
const SWAPPER = `
  const fs = require('node:fs');
  const [project, outside] = process.argv.slice(1);
  const stay = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 3);
  console.log('ready');
  for (;;) {
    fs.renameSync(project + '/swapped', project + '/.kept');
    fs.symlinkSync(outside, project + '/swapped');
    stay();
    fs.unlinkSync(project + '/swapped');
    fs.renameSync(project + '/.kept', project + '/swapped');
    stay();
  }`;
