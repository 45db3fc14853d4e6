import { execFileSync } from 'node:child_process';
import { chmod, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../../base/crew-error.ts';
import { rawZip, zipOf } from '../../testing/packages/raw-zip.ts';
import { tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { readSource, readSourceArchive, SOURCE_LIMITS } from './read-source.ts';

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
    const { findings, paths } = await readSource(folder, { limits: { ...SOURCE_LIMITS, entries: 2 } });
    expect(findings.map(({ code }) => code)).toEqual(['TOO_MANY']);
    expect(paths).toHaveLength(2);
    const small = await readSource(folder, { limits: { ...SOURCE_LIMITS, totalBytes: 2 } });
    expect(small.findings.map(({ code }) => code)).toEqual(['TOO_LARGE']);
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    '[Z2] skips a file that may not be examined with a finding',
    async () => {
      const folder = await tempFolder();
      await writeTree(folder, { 'SKILL.md': 'x', 'locked/a.md': 'a' });
      await chmod(join(folder, 'locked'), 0o444);
      const { findings, paths } = await readSource(folder);
      await chmod(join(folder, 'locked'), 0o755);
      expect(findings.map(({ code, file }) => `${code} ${file}`)).toEqual(['NOT_READABLE locked/a.md']);
      expect(paths).toEqual(['SKILL.md']);
    },
  );

  it('returns no text for bytes that are not UTF-8; reports a missing folder in one sentence', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'a.bin'), Buffer.from([0xff, 0xfe]));
    const tree = await readSource(folder);
    expect(tree.text('a.bin')).toBeUndefined();
    expect(tree.bytes('a.bin')).toHaveLength(2);
    await expect(readSource(join(folder, 'none'))).rejects.toThrow(/There is no folder/);
  });
});

async function read(bytes: Buffer, limits = SOURCE_LIMITS) {
  const path = join(await tempFolder(), 'bees.zip');
  await writeFile(path, bytes);
  return readSourceArchive(path, { limits });
}

const deep = `${Array.from({ length: SOURCE_LIMITS.depth + 1 }, (_, at) => `d${at}`).join('/')}/SKILL.md`;

describe('a zip as a source', () => {
  it('[Z1] is read without the folder around everything, which names it', async () => {
    const tree = await read(
      zipOf({ 'hive/SKILL.md': '# Bees\n', 'hive/references/a.md': 'a', '__MACOSX/x': 'x' }),
    );
    expect(tree.name).toBe('hive');
    expect(tree.paths).toEqual(['SKILL.md', 'references/a.md']);
    expect((await read(zipOf({ 'SKILL.md': '# Bees\n', 'a/b.md': 'b' }))).name).toBe('bees');
  });

  it('[Z1] leaves out what is hostile, with a finding each', async () => {
    const files = { 'SKILL.md': '# Bees\n' };
    const { paths, findings } = await read(
      zipOf(files, [
        { name: '../../etc/cron.d/x', data: 'x' },
        { name: '/etc/passwd', data: 'x' },
        { name: 'C:\\x.md', data: 'x' },
        { name: 'link.md', data: '/etc/passwd', mode: 0o120777 },
        { name: 'pipe', data: '', mode: 0o010644 },
        { name: 'SKILL.md', data: '# Another\n' },
        { name: 'secret.md', data: 'x', flags: 1 },
        { name: 'odd.md', data: 'x', method: 14 },
        { name: 'damaged.md', data: 'x', declaredCrc: 1 },
        { name: 'bomb.md', data: Buffer.alloc(SOURCE_LIMITS.fileBytes + 1) },
        { name: 'liar.md', data: Buffer.alloc(100_000), declaredSize: 10 },
        { name: deep, data: 'x' },
      ]),
    );
    expect(paths).toEqual(['SKILL.md']);
    expect(findings.map(({ code, file }) => `${code} ${file.slice(0, 20)}`).sort()).toEqual([
      'LINK link.md',
      'NOT_READABLE damaged.md',
      'NOT_READABLE liar.md',
      'NOT_READABLE odd.md',
      'NOT_READABLE secret.md',
      'SPECIAL pipe',
      'TOO_DEEP d0/d1/d2/d3/d4/d5/d6',
      'TOO_LARGE bomb.md',
      'UNSAFE_NAME ../../etc/cron.d/x',
      'UNSAFE_NAME /etc/passwd',
      'UNSAFE_NAME C:\\x.md',
      'UNSAFE_NAME SKILL.md',
    ]);
  });

  it('[Z1] inflates no more than the limit, however many entries there are', async () => {
    const zeros = Buffer.alloc(1_000);
    const entries = Array.from({ length: 50 }, (_, at) => ({ name: `z${at}.md`, data: zeros }));
    const { paths, findings } = await read(rawZip(entries), {
      ...SOURCE_LIMITS,
      totalBytes: 10_000,
      entries: 40,
    });
    expect(paths).toHaveLength(10);
    expect(findings.filter(({ code }) => code === 'TOO_LARGE')).toHaveLength(30);
    expect(findings.filter(({ code }) => code === 'TOO_MANY')).toHaveLength(1);
  });

  it('[Z1] anything else is one sentence', async () => {
    for (const bytes of [Buffer.from('not a zip'), Buffer.alloc(0), zipOf({ 'a.md': 'a' }).subarray(0, 40)])
      await expect(read(bytes)).rejects.toThrow(/^"bees.zip" cannot be read as a zip: [^\n]+\.$/);
  });

  it('[Z1] any change of bytes gives files, findings or one sentence', async () => {
    const whole = zipOf({ 'SKILL.md': '# Bees\n'.repeat(50), 'references/a.md': 'a' });
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }), async (at, value) => {
        const bytes = Buffer.from(whole);
        bytes[at] = value;
        try {
          expect((await read(bytes)).paths.length).toBeLessThanOrEqual(2);
        } catch (error) {
          expect(error).toBeInstanceOf(CrewError);
        }
      }),
      { numRuns: 150 },
    );
  });
});
