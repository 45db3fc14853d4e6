import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cases } from '../../testing/kill-points.ts';
import { builtin, createSearcher, createSearchRig, FINDERS, ripgrep } from '../../testing/rigs/search-rig.ts';
import { tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { createRipgrepFinder } from './find-lines-ripgrep.ts';

describe('line finders', () => {
  it('[T30] find the same lines as a check of every line', async () => {
    const folder = await tempFolder();
    let round = 0;
    const text = fc.string({
      unit: fc.constantFrom(
        ...[
          'a',
          'A',
          'b',
          'B',
          'é',
          'É',
          'k',
          '\u212a',
          's',
          '\u017f',
          '\ufffd',
          ' ',
          '.',
          '_',
          '\n',
          '\r\n',
          '😀',
        ],
      ),
      maxLength: 60,
    });
    const name = fc.constantFrom('a', 'b', 'c.txt', '.h', 'node_modules', 'ü', 'D');
    const files = fc.dictionary(
      fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
      text,
      { maxKeys: 8 },
    );
    // Side by side: a search starts a process or a thread, however much it finds.
    const trees = fc.array(files.map(withoutClashes), { minLength: 1, maxLength: 4 });
    const query = fc.string({
      unit: fc.constantFrom('a', 'b', 'B', 'é', 'k', 's', '\ufffd', ' ', '.', '_', '😀'),
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(trees, query, fc.boolean(), async (generated, query, caseSensitive) => {
        const tree = Object.fromEntries(
          generated.flatMap((files, at) =>
            Object.entries(files).map(([path, text]) => [`${at}/${path}`, text]),
          ),
        );
        const root = await makeRoots(join(folder, `${round++}`), tree);
        const expected = naiveSearch(tree, query, caseSensitive);
        for (const [, finder] of FINDERS) {
          const result = await createSearcher(finder, root)({ query, caseSensitive, maxMatches: 500 });
          expect(result.matches.map(({ path, line }) => `${path}:${line}`).sort()).toEqual(expected);
        }
      }),
      cases(50),
    );
  });

  it.each(FINDERS)('[T30] %s finds lines at the end of files of any size', async (_, finder) => {
    const sizes = [0, 1, 65_535, 65_536, 65_537, 65_536, 300_000, 10];
    const tree = Object.fromEntries(sizes.map((size, at) => [`${at}`, `${'x'.repeat(size)}\nNeedle ${at}`]));
    const { search } = await createSearchRig(finder, tree);
    for (const caseSensitive of [false, true]) {
      const { matches } = await search({ query: 'Needle', caseSensitive });
      expect(matches.map(({ text }) => text).sort()).toEqual(sizes.map((_, at) => `Needle ${at}`));
    }
  });

  it('[T30] treat .gitignore files and globs alike', async () => {
    const folder = await tempFolder();
    let round = 0;
    const part = fc.constantFrom('a', 'b', 'ab', 'a.x', 'b.x', '.h');
    const piece = fc.constantFrom('a', 'b', 'ab', '.x', '.h', '*', '?', '**', '[ab]', '[!a]', '{a,b}', '\\a');
    const pattern = fc
      .tuple(
        fc.constantFrom('', '', '!', '/', '!/', '**/'),
        fc.array(fc.array(piece, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', '', '/', '/**'),
      )
      .map(([head, parts, tail]) => head + parts.map((pieces) => pieces.join('')).join('/') + tail);
    const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    const folders = fc.constantFrom('', 'a/', 'b/', 'a/b/', '.h/');
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(path, { minLength: 4, maxLength: 14 }),
        fc.dictionary(folders, fc.array(pattern, { minLength: 1, maxLength: 3 }), { maxKeys: 3 }),
        fc.array(pattern, { maxLength: 2 }),
        fc.constantFrom('@project', '@project/a', '@project/a/b'),
        async (paths, ignores, globs, start) => {
          const tree = withoutClashes({
            ...Object.fromEntries(paths.map((path) => [path, 'needle'])),
            ...Object.fromEntries(
              Object.entries(ignores).map(([at, lines]) => [`${at}.gitignore`, lines.join('\n')]),
            ),
          });
          const root = await makeRoots(join(folder, `${round++}`), tree);
          const args = { query: 'needle', path: start, globs, maxMatches: 500 };
          const [first, second] = await Promise.all(
            FINDERS.map(async ([, finder]) => {
              const result = await createSearcher(finder, root)(args);
              return result.ok ? result.matches.map(({ path }) => path) : result.error;
            }),
          );
          expect(second).toEqual(first);
        },
      ),
    );
  });

  it.each(FINDERS)(
    '[T46] %s ends when aborted at any moment, and returns its results so far on a timeout',
    async (_, finder) => {
      const tree = Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [`${index % 20}/${index}`, 'needle\n']),
      );
      const { search } = await createSearchRig(finder, tree);
      for (let turns = 0; turns < 30; turns++) {
        const stop = new AbortController();
        const pending = search({ query: 'ne+dle', regex: turns % 2 === 0, path: '.' }, stop.signal).then(
          () => 'done',
          (error: unknown) => (error as Error).name,
        );
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
        stop.abort();
        expect(['AbortError', 'done']).toContain(await pending);
        if (turns === 0) expect(await pending).toBe('AbortError');
      }
      await expectNoChildren();
      const late = createSearchRig(finder, tree, 0);
      const result = await (await late).search({ query: 'needle' });
      expect(result).toMatchObject({ ok: true, truncated: true });
      expect(result.hint).toMatch(/too long/);
    },
  );

  it('[T46] stops a pattern that never ends, and its thread', async () => {
    const { root, search } = await createSearchRig(builtin, { 'a.txt': `${'a'.repeat(60)}b\n` });
    const hurried = createSearcher(builtin, root, 500);
    const result = await hurried({ query: '(a+)+$', regex: true, path: '@project' });
    expect(result).toMatchObject({ ok: true, truncated: true, matches: [] });
    expect((await search({ query: 'aab' })).matches).toHaveLength(1);
  });

  it('[T46] skips a line that is too long for the pattern, and continues', async () => {
    const { positions } = await createSearchRig(builtin, {
      'a.txt': 'ab'.repeat(5_000_000),
      'b.txt': 'abc\n',
    });
    expect(await positions({ query: '^(?:a|b)*c$', regex: true })).toEqual(['b.txt:1']);
  });

  it.skipIf(process.platform === 'win32')('[T46] passes nothing of our environment to ripgrep', async () => {
    const folder = await tempFolder();
    const binary = join(folder, 'rg');
    await writeFile(binary, `#!/bin/sh\n/usr/bin/env > ${folder}/seen\n`, { mode: 0o755 });
    process.env.CREWAGENT_API_KEY = 'a key';
    onTestFinished(() => void delete process.env.CREWAGENT_API_KEY);
    const { search } = await createSearchRig(createRipgrepFinder(binary), { a: 'needle' });
    expect(await search({ query: 'needle' })).toMatchObject({ ok: true, matches: [] });
    const seen = (await readFile(join(folder, 'seen'), 'utf8')).split('\n').map((line) => line.split('=')[0]);
    // Variables that the shell itself adds.
    expect(seen.filter((name) => name && !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual([]);
  });

  it('[T46] works from a bundle, and lets the process exit', async () => {
    const { root } = await createSearchRig(ripgrep, { 'a.txt': 'needle\n' });
    const repository = join(import.meta.dirname, '../../../../..');
    // Inside the repository, like the real bundle: ripgrep is resolved from there.
    const output = join(repository, '.cache', 'run', `fs-search-test-${process.pid}`);
    onTestFinished(() => rm(output, { recursive: true, force: true }));
    await writeFile(join(root('outside'), 'probe.ts'), probeSource(root('project')));
    const script = `
      const { bundle } = await import(${JSON.stringify(pathToFileURL(join(repository, 'scripts/bundle.mjs')).href)});
      await bundle({ probe: ${JSON.stringify(join(root('outside'), 'probe.ts'))} }, ${JSON.stringify(output)});`;
    const bundled = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(bundled.stderr).toBe('');
    const run = spawnSync(process.execPath, [join(output, 'probe.js')], {
      encoding: 'utf8',
      env: { PATH: '' },
      timeout: 30_000,
    });
    expect(run.stderr).toBe('');
    expect(run.stdout).toBe('ripgrep 1\nbuilt-in 1\nstopped\n');
  });
});

async function expectNoChildren(): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const task of await readdir('/proc/self/task')) {
    const children = await readFile(`/proc/self/task/${task}/children`, 'utf8');
    for (const child of children.split(' ').filter(Boolean)) {
      const command = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '');
      expect(command).not.toMatch(/^rg/);
    }
  }
}

function probeSource(project: string): string {
  const from = (path: string): string => JSON.stringify(join(import.meta.dirname, path));
  return `
    import { createBuiltinFinder } from ${from('find-lines-builtin.ts')};
    import { createRipgrepFinder, resolveRipgrep } from ${from('find-lines-ripgrep.ts')};
    const search = {
      query: { text: 'needle', isRegex: false, caseSensitive: false },
      rootPath: ${JSON.stringify(project)},
      start: '', rules: [], skippedNames: [], includeHidden: false, maxLinesPerFile: 10,
    };
    const signal = new AbortController().signal;
    for (const [name, finder] of [
      ['ripgrep', createRipgrepFinder(await resolveRipgrep())],
      ['built-in', createBuiltinFinder()],
    ]) {
      let lines = 0;
      for await (const finding of finder.find(search, signal)) lines += finding.lines?.length ?? 0;
      console.log(name, lines);
    }
    const stop = AbortSignal.timeout(200);
    await createBuiltinFinder().matchLines(['a'.repeat(60) + 'b'], { text: '(a+)+$', isRegex: true }, stop);
    console.log('stopped');
  `;
}

async function makeRoots(folder: string, tree: Record<string, string>): Promise<(name: string) => string> {
  await mkdir(folder);
  await writeTree(folder, tree);
  return () => folder;
}

/** A name cannot be both a file and a folder. */
function withoutClashes(tree: Record<string, string>): Record<string, string> {
  const paths = Object.keys(tree);
  return Object.fromEntries(
    Object.entries(tree).filter(([path]) => !paths.some((other) => other.startsWith(`${path}/`))),
  );
}

function naiveSearch(tree: Record<string, string>, query: string, caseSensitive: boolean): string[] {
  const fold = (text: string): string =>
    caseSensitive
      ? text
      : text.replaceAll('\u212a', 'k').replaceAll('\u017f', 's').toLowerCase().normalize('NFC');
  return Object.entries(tree)
    .filter(([path]) => !path.split('/').some((part) => part.startsWith('.') || part === 'node_modules'))
    .flatMap(([path, text]) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          fold(line).includes(fold(query)) ? [`@project/${path}:${index + 1}`] : [],
        ),
    )
    .sort();
}
