import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../packages/core/src/testing/temp-folder.ts';
import { buildDocs } from './build-docs.mjs';

describe('npm run docs', () => {
  it('builds the same pages in both languages, with links that lead somewhere', async () => {
    const target = join(await tempFolder(), 'site');
    const pages = await buildDocs(target);
    const chinese = pages.filter((path) => path.startsWith('zh-CN/'));
    expect(pages.length).toBeGreaterThan(26);
    expect(chinese.map((path) => path.slice('zh-CN/'.length))).toEqual(pages.slice(0, pages.length / 2));
    const [first = '', second = ''] = await Promise.all(
      ['index.html', 'zh-CN/first-method.html'].map((path) => readFile(join(target, path), 'utf8')),
    );
    expect(first).toContain('<html lang="en">');
    expect(first).toContain('<a href="first-method.html">');
    expect(first).toContain('hreflang="zh-CN" href="zh-CN/index.html"');
    expect(second).toContain('href="../style.css"');
    expect(second).toContain('hreflang="en" href="../first-method.html"');
    expect(second).toContain('<figcaption>thanks/method.md</figcaption>');
    expect(first + second).not.toMatch(/<script|undefined/);
    // A second build replaces the first one.
    await writeFile(join(target, 'old.html'), '');
    await buildDocs(target);
    await expect(readFile(join(target, 'old.html'))).rejects.toThrow();
  });
});
