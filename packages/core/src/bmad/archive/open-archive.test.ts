import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codesOf, inspectBytes, inspectFiles, testContext } from '../../testing/inspect.ts';
import { type RawEntry, rawZip, zipOf } from '../../testing/packages/raw-zip.ts';
import { samplePackage } from '../../testing/packages/sample-package.ts';
import { tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { createFindings } from '../findings/findings.ts';
import { inspectPackage } from '../load-package.ts';
import { readFolder } from './open-folder.ts';
import { DamagedFile } from './package-files.ts';

const MIB = 1024 * 1024;

function withEntry(...more: RawEntry[]): Buffer {
  return zipOf(samplePackage(), more);
}

describe('an archive', () => {
  it('[B1] loads stored and deflated entries, with and without folder entries', async () => {
    const files = Object.entries(samplePackage());
    const stored = rawZip([
      { name: 'steps/', mode: 0o040755, method: 0 },
      ...files.map(([name, data]) => ({ name, data, method: 0 })),
    ]);
    for (const bytes of [zipOf(samplePackage()), stored]) {
      const { package: loaded, diagnostics } = await inspectBytes(bytes);
      expect(diagnostics).toEqual([]);
      expect(loaded?.workflows[0]?.nodes.size).toBe(2);
    }
  });

  const names: [name: string, why: string][] = [
    ['/etc/passwd', 'absolute'],
    ['../evil.md', '".."'],
    ['steps/../../evil.md', '".."'],
    ['C:/evil.md', 'drive letter'],
    ['c:evil.md', 'drive letter'],
    ['steps\\evil.md', 'backslash'],
    ['steps/evil\0.md', 'NUL'],
    ['steps/e\u001bvil.md', 'control'],
    ['steps/e\u202evil.md', 'control or invisible'],
    ['steps/con', 'reserved device name'],
    ['steps/NUL.md', 'reserved device name'],
    ['COM1/x.md', 'reserved device name'],
    ['steps/lpt9.txt.md', 'reserved device name'],
    ['steps//x.md', 'empty'],
    ['./x.md', '"."'],
    ['steps/x.md.', 'dot or a space'],
    ['steps /x.md', 'dot or a space'],
    [`${'x'.repeat(256)}.md`, '255 bytes'],
    [Array.from({ length: 400 }, () => 'ab').join('/'), '1,024 bytes'],
  ];
  for (const [name, why] of names) {
    it(`[B20] rejects the name ${JSON.stringify(name.slice(0, 24))}`, async () => {
      const inspection = await inspectBytes(withEntry({ name, data: 'x' }));
      expect(inspection.diagnostics.map(({ code }) => code)).toEqual(['ENTRY_NAME_UNSAFE']);
      expect(inspection.diagnostics[0]?.message).toContain(why);
      expect(inspection.package).toBeUndefined();
    });
  }

  const kinds: [rule: string, what: string, entries: RawEntry[], codes: string[]][] = [
    [
      'B20',
      'a symbolic link',
      [{ name: 'assets/link', data: '/etc/passwd', mode: 0o120777 }],
      ['ENTRY_IS_LINK'],
    ],
    [
      'B20',
      'a symbolic link that looks like a folder',
      [{ name: 'assets/link/', data: '', mode: 0o120777 }],
      ['ENTRY_IS_LINK'],
    ],
    ['B20', 'a FIFO', [{ name: 'assets/pipe', mode: 0o010644 }], ['ENTRY_IS_SPECIAL']],
    ['B20', 'a device', [{ name: 'assets/dev', mode: 0o060644 }], ['ENTRY_IS_SPECIAL']],
    ['B20', 'a folder with content', [{ name: 'assets/', data: 'boo', method: 0 }], ['ENTRY_IS_SPECIAL']],
    [
      'B20',
      'an encrypted entry',
      [{ name: 'assets/x', data: 'x'.repeat(20), flags: 1 }],
      ['ENTRY_ENCRYPTED'],
    ],
    [
      'B20',
      'an unknown compression',
      [{ name: 'assets/x', data: 'x', method: 12 }],
      ['ENTRY_METHOD_UNKNOWN'],
    ],
    ['B20', 'one name twice', [{ name: 'bmad.json', data: '{}' }], ['ENTRY_DUPLICATE']],
    [
      'B20',
      'names that differ in case',
      [{ name: 'Steps/STEP-01.md', data: 'x' }],
      ['ENTRY_CLASH', 'ENTRY_CLASH'],
    ],
    [
      'B20',
      'names that differ in Unicode form',
      [
        { name: 'assets/e\u0301.md', data: 'x' },
        { name: 'assets/\u00e9.md', data: 'y' },
      ],
      ['ENTRY_CLASH'],
    ],
    [
      'B20',
      'names that fold to one',
      [
        { name: 'assets/stra\u00dfe', data: 'x' },
        { name: 'assets/STRASSE', data: 'y' },
      ],
      ['ENTRY_CLASH'],
    ],
    ['B20', 'a file over a folder', [{ name: 'steps', data: 'x' }], ['ENTRY_CLASH']],
    ['B20', 'a folder over a file', [{ name: 'bmad.json/x.md', data: 'x' }], ['ENTRY_CLASH']],
    [
      'B20',
      'a file over 16 MiB',
      [{ name: 'assets/x', data: Buffer.alloc(16 * MIB + 1), method: 0 }],
      ['FILE_TOO_LARGE'],
    ],
    ['B20', 'a bomb', [{ name: 'assets/x', data: Buffer.alloc(MIB) }], ['RATIO_TOO_HIGH']],
    [
      'B20',
      'a declared 4 GiB',
      [{ name: 'assets/x', data: 'x', declaredSize: 0xfffffff0 }],
      ['FILE_TOO_LARGE', 'RATIO_TOO_HIGH', 'PACKAGE_TOO_LARGE'],
    ],
    [
      'B20',
      'less than declared',
      [{ name: 'assets/x', data: 'hello', declaredSize: 6 }],
      ['ARCHIVE_DAMAGED'],
    ],
    [
      'B20',
      'more than declared',
      [{ name: 'assets/x', data: 'hello'.repeat(1000), declaredSize: 20 }],
      ['ARCHIVE_DAMAGED'],
    ],
    ['B20', 'a wrong checksum', [{ name: 'assets/x', data: 'hello', declaredCrc: 1 }], ['ARCHIVE_DAMAGED']],
  ];
  for (const [rule, what, entries, codes] of kinds) {
    it(`[${rule}] rejects ${what}`, async () => {
      const inspection = await inspectBytes(withEntry(...entries));
      expect(inspection.diagnostics.map(({ code }) => code)).toEqual(codes);
      expect(inspection.package).toBeUndefined();
    });
  }

  it('[B20] rejects 65 MiB in five files', async () => {
    const data = Buffer.alloc(13 * MIB, 'noise');
    const entries = Array.from({ length: 5 }, (_, index) => ({ name: `assets/${index}`, data, method: 0 }));
    expect((await inspectBytes(withEntry(...entries))).diagnostics.map(({ code }) => code)).toEqual([
      'PACKAGE_TOO_LARGE',
    ]);
  });

  it('[B20] accepts 2,000 entries and rejects 2,001', async () => {
    const count = 2_000 - Object.keys(samplePackage()).length;
    const entries = Array.from({ length: count }, (_, index) => ({
      name: `assets/${index}`,
      data: 'x',
      method: 0,
    }));
    expect((await inspectBytes(withEntry(...entries))).diagnostics).toEqual([]);
    const found = await inspectBytes(withEntry(...entries, { name: 'assets/more', data: 'x', method: 0 }));
    expect(found.diagnostics.map(({ code }) => code)).toEqual(['TOO_MANY_ENTRIES']);
  });

  it('[B10] lists every bad entry at once', async () => {
    const found = await inspectBytes(
      withEntry(
        { name: '../a' },
        { name: 'b\\c' },
        { name: 'assets/l', mode: 0o120777 },
        { name: 'x', flags: 1 },
      ),
    );
    expect(found.diagnostics.map(({ code }) => code).sort()).toEqual([
      'ENTRY_ENCRYPTED',
      'ENTRY_IS_LINK',
      'ENTRY_NAME_UNSAFE',
      'ENTRY_NAME_UNSAFE',
    ]);
  });

  it('a file name of the Builder with a colon in it is accepted on this system', async () => {
    expect((await inspectBytes(withEntry({ name: 'steps/a:b.md', data: 'x' }))).diagnostics).toEqual([]);
  });
});

describe('a folder', () => {
  it('[B20] rejects links and FIFOs, and follows neither', async () => {
    const folder = await tempFolder();
    await writeTree(folder, samplePackage());
    await mkdir(join(folder, 'assets'));
    await symlink('/etc', join(folder, 'assets', 'etc'));
    execFileSync('mkfifo', [join(folder, 'assets', 'pipe')]);
    const found = await inspectPackage(folder, testContext);
    expect(codesOf(found).sort()).toEqual(['ENTRY_IS_LINK assets/etc', 'ENTRY_IS_SPECIAL assets/pipe']);
  });

  it('[B10] without bmad.json is reported as such, whatever else it contains', async () => {
    const folder = await tempFolder();
    await symlink('/etc', join(folder, 'etc'));
    expect(codesOf(await inspectPackage(folder, testContext))).toEqual(['NOT_A_PACKAGE bmad.json']);
  });

  it('[B20] a file that became a link or too large since it was listed is not read', async () => {
    const folder = await tempFolder();
    await writeTree(folder, samplePackage());
    const files = await readFolder(folder, createFindings());
    await rm(join(folder, 'steps', 'step-01.md'));
    await symlink('/etc/passwd', join(folder, 'steps', 'step-01.md'));
    await expect(files?.read('steps/step-01.md')).rejects.toBeInstanceOf(DamagedFile);
    await writeFile(join(folder, 'agents.json'), Buffer.alloc(16 * MIB + 1));
    await expect(files?.read('agents.json')).rejects.toThrow('grew while it was read');
  });

  it('[B20] a name that is not valid Unicode is rejected', async () => {
    const folder = await tempFolder();
    await writeTree(folder, samplePackage());
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]), 'x');
    expect((await inspectPackage(folder, testContext)).diagnostics.map(({ code }) => code)).toEqual([
      'ENTRY_NAME_UNSAFE',
    ]);
  });

  it('[B20] has the limits of an archive', async () => {
    const large = { ...samplePackage(), 'assets/x': Buffer.alloc(16 * MIB + 1) };
    expect(codesOf(await inspectFiles(large))).toEqual(['FILE_TOO_LARGE assets/x']);
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`assets/${index}`, '']));
    expect(codesOf(await inspectFiles({ ...samplePackage(), ...many }))).toEqual(['TOO_MANY_ENTRIES .']);
  });

  it('[B41] ignores artifacts of systems and tools', async () => {
    const files = {
      ...samplePackage(),
      '.git/config': 'x',
      '.DS_Store': 'x',
      'node_modules/a/index.js': 'x',
      '__MACOSX/._bmad.json': 'x',
      'old.bmad': 'x',
    };
    expect(codesOf(await inspectFiles(files))).toEqual([]);
  });
});

describe('a path that cannot be opened', () => {
  const contents: [what: string, bytes: Buffer, code: string, message: string][] = [
    ['a PDF', Buffer.from('%PDF-1.7\n…'), 'NOT_AN_ARCHIVE', 'PDF'],
    ['an empty file', Buffer.alloc(0), 'NOT_AN_ARCHIVE', 'empty'],
    ['a JSON file', Buffer.from('{"schemaVersion":"1.1"}'), 'NOT_AN_ARCHIVE', 'JSON'],
    ['a gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'NOT_AN_ARCHIVE', 'gzip'],
    ['noise', Buffer.from('qwertyuiop'), 'NOT_AN_ARCHIVE', 'no zip structure'],
    ['half a zip', zipOf(samplePackage()).subarray(0, 400), 'ARCHIVE_DAMAGED', 'truncated'],
  ];
  for (const [what, bytes, code, message] of contents) {
    it(`[B10] ${what} is reported in one sentence`, async () => {
      const { diagnostics } = await inspectBytes(bytes);
      expect(diagnostics.map((entry) => entry.code)).toEqual([code]);
      expect(diagnostics[0]?.message).toContain(message);
    });
  }

  it('[B10] a missing path, a classic file, a device and a huge file', async () => {
    const folder = await tempFolder();
    const classic = join(folder, 'workflow.yaml');
    await writeFile(classic, 'name: x');
    const huge = join(folder, 'huge.bmad');
    await writeFile(huge, '');
    execFileSync('truncate', ['-s', '200M', huge]);
    const codes = async (path: string): Promise<string[]> =>
      (await inspectPackage(path, testContext)).diagnostics.map(({ code }) => code);
    expect(await codes(join(folder, 'none.bmad'))).toEqual(['NOT_FOUND']);
    expect(await codes(classic)).toEqual(['CLASSIC_BMAD']);
    expect(await codes('/dev/null')).toEqual(['NOT_AN_ARCHIVE']);
    expect(await codes(huge)).toEqual(['PACKAGE_TOO_LARGE']);
  });
});
