/** The samples of docs/authors: each fenced block with a file name is a file of a package that is built and tried here. */

import { existsSync } from 'node:fs';
import { cp, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectPackage } from '../bmad/load-package.ts';
import { rehearsePackage } from '../rehearse/rehearse-package.ts';
import { testContext as context } from '../testing/inspect.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { testPackage } from './test-package.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const PAGES = join(ROOT, 'docs/authors');

interface Sample {
  readonly path: string;
  readonly text: string;
  /** The code that validation reports. */
  readonly finding: string | undefined;
}

async function samplesOf(page: string): Promise<Sample[]> {
  const text = await readFile(join(PAGES, page), 'utf8');
  const blocks = text.matchAll(/^```\w+ (\S+\.\w+)(?: ([A-Z_]+))?\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, path = '', finding, content = '']) => ({ path, finding, text: content }));
}

const pages = (await readdir(PAGES, { recursive: true })).filter((name) => name.endsWith('.md')).sort();
const samples = await Promise.all(pages.map(async (page) => [page, await samplesOf(page)] as const));
const packages = samples.flatMap(([page, all]) => {
  const names = new Set(all.filter(({ finding }) => !finding).map(({ path }) => path.split('/', 1)[0] ?? ''));
  return [...names].map(
    (name) => [page, name, all.filter(({ path }) => path.startsWith(`${name}/`))] as const,
  );
});
const mistakes = samples.flatMap(([page, all]) =>
  all.flatMap(({ finding, ...sample }) => (finding === undefined ? [] : [[page, finding, sample] as const])),
);

describe('pages for authors', () => {
  it.each(packages)('%s: %s is valid, and its branches and tests pass', async (_, name, files) => {
    const folder = join(await tempFolder(), name);
    // A sample with the name of an example changes that example.
    const example = join(ROOT, 'examples', name);
    if (existsSync(example)) await cp(example, folder, { recursive: true });
    await writeTree(
      folder,
      Object.fromEntries(files.map(({ path, text }) => [path.slice(name.length + 1), text])),
    );
    const { diagnostics, advice } = await inspectPackage(folder, context);
    expect([...diagnostics, ...advice]).toEqual([]);
    const { failures } = await rehearsePackage({ package: folder, context });
    expect(failures).toEqual([]);
    if (!files.some(({ path }) => path.includes('/tests/'))) return;
    const { tests } = await testPackage({ folder, context });
    expect(tests.flatMap((test) => test.failures)).toEqual([]);
  });

  it.each(mistakes)('%s: %s is reported', async (_, finding, { path, text }) => {
    const file = join(await tempFolder(), basename(path));
    await writeTree(join(file, '..'), { [basename(path)]: text });
    const { diagnostics } = await inspectPackage(file, context);
    expect(diagnostics.map(({ code }) => code)).toContain(finding);
  });

  it('list the same pages in both languages, and link only to files that exist', async () => {
    const linksOf = async (page: string): Promise<string[]> => {
      const text = await readFile(join(PAGES, page), 'utf8');
      return [...text.matchAll(/\]\(((?!https?:)[^)#\s]+)/g)].map(([, target = '']) => target);
    };
    const [english, chinese] = await Promise.all(['README.md', 'zh-CN/README.md'].map(linksOf));
    const names = chinese?.slice(1).map((target) => basename(target));
    expect(names).toEqual(english?.slice(1));
    for (const page of pages)
      for (const target of await linksOf(page))
        expect([page, target, existsSync(join(PAGES, page, '..', target))]).toEqual([page, target, true]);
  });
});
