import { execFileSync } from 'node:child_process';
import { symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { readSource, SOURCE_LIMITS } from './read-source.ts';

describe('reading a source', () => {
  it('[Z2] skips links, special files, large files and deep folders with a finding each', async () => {
    const folder = await tempFolder();
    const deep = Array.from({ length: SOURCE_LIMITS.depth + 2 }, (_, at) => `d${at}`).join('/');
    await writeTree(folder, { 'SKILL.md': '# Press\n', '.git/config': 'x', [`${deep}/SKILL.md`]: 'x' });
    await symlink('/etc/passwd', join(folder, 'link.md'));
    await symlink('/etc', join(folder, 'etc'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await writeFile(join(folder, 'huge.md'), '');
    await truncate(join(folder, 'huge.md'), SOURCE_LIMITS.fileBytes + 1);
    const tree = await readSource(folder);
    expect(tree.paths).toEqual(['SKILL.md']);
    expect(tree.findings.map(({ code, file }) => `${code} ${file}`)).toEqual([
      `TOO_DEEP ${deep.split('/').slice(0, SOURCE_LIMITS.depth).join('/')}`,
      'LINK etc',
      'TOO_LARGE huge.md',
      'LINK link.md',
      'SPECIAL pipe',
    ]);
  });

  it('[Z2] reads a folder with too many entries up to the limit', async () => {
    const folder = await tempFolder();
    await writeTree(folder, { 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' });
    const { findings, paths } = await readSource(folder, { ...SOURCE_LIMITS, entries: 2 });
    expect(findings.map(({ code }) => code)).toEqual(['TOO_MANY']);
    expect(paths).toHaveLength(2);
    const small = await readSource(folder, { ...SOURCE_LIMITS, totalBytes: 2 });
    expect(small.findings.map(({ code }) => code)).toEqual(['TOO_LARGE']);
  });

  it('returns no text for bytes that are not UTF-8; reports a missing folder in one sentence', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'a.bin'), Buffer.from([0xff, 0xfe]));
    const tree = await readSource(folder);
    expect(tree.text('a.bin')).toBeUndefined();
    expect(tree.bytes('a.bin')).toHaveLength(2);
    await expect(readSource(join(folder, 'none'))).rejects.toThrow(/There is no folder/);
  });
});
