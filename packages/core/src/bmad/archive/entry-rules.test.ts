import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFindings } from '../findings/findings.ts';
import { checkEntries, type EntryFacts, LIMITS, nameDanger, printable } from './entry-rules.ts';

const MIB = 1024 * 1024;

function check(...entries: (Partial<EntryFacts> & { name: string })[]) {
  const findings = createFindings();
  checkEntries(
    entries.map((entry) => ({ kind: entry.name.endsWith('/') ? 'folder' : 'file', bytes: 0, ...entry })),
    findings,
  );
  return findings.list().map(({ code, file, message }) => ({ code, file, message }));
}

const codes = (...entries: Parameters<typeof check>): string[] => check(...entries).map(({ code }) => code);

describe('names', () => {
  const parts = (length: number): string => `${'ab/'.repeat(341).slice(0, length - 1)}c`;

  it('[B20] have up to 1,024 bytes, and parts of up to 255', () => {
    expect(nameDanger(parts(1_024))).toBeUndefined();
    expect(nameDanger(`${parts(1_024)}c`)).toContain('1,024 bytes');
    expect(nameDanger(parts(1_023).replace('c', 'é'))).toBeUndefined();
    expect(nameDanger('x'.repeat(255))).toBeUndefined();
    expect(nameDanger('x'.repeat(256))).toContain('255 bytes');
  });

  it.each([
    'steps/',
    'steps/step-01.md',
    'a b/c',
    '..a/b..c',
    '.hidden',
    'a/ch:apter',
    '1:a',
    'ab:c',
    '日本語/é.md',
    'console/auxiliary.md',
  ])('[B20] such as %j are accepted', (name) => {
    if (process.platform === 'win32' && name.includes(':')) return;
    expect(nameDanger(name)).toBeUndefined();
  });

  it.each([
    ['', 'empty'],
    ['/', 'absolute'],
    ['a//', 'empty'],
    ['a/./b', '"."'],
    ['..', '".."'],
    ['../', '".."'],
    ['a/..', '".."'],
    ['z:', 'drive letter'],
    ['Z:/a', 'drive letter'],
    ['a\\b', 'backslash'],
    ['a\0', 'NUL'],
    ['a\uFFFD', 'not valid Unicode'],
    ['a\u200bb', 'invisible'],
    ['a/nul', 'reserved device name'],
    ['a./b', 'dot or a space'],
  ])('[B20] such as %j are rejected', (name, why) => {
    expect(nameDanger(name)).toContain(why);
  });

  it('[B20] that pass never leave the folder, on any system', () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'C:', '\\', '/', '\0', '~', '...', ' ', 'con', '\u202e');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.constantFrom('/', ''), (all, join) => {
        const name = all.join(join);
        if (nameDanger(name) !== undefined) return;
        expect(name).not.toMatch(/^\/|^[A-Za-z]:|\\|\0/);
        const segments = name.replace(/\/$/, '').split('/');
        for (const segment of segments) expect(['', '.', '..']).not.toContain(segment);
      }),
    );
  });

  it('[B10] are shown in at most 200 characters, without invisible characters', () => {
    expect(printable('x'.repeat(200))).toBe('x'.repeat(200));
    expect(printable('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`);
    expect(printable('a\u001bb')).not.toContain('\u001b');
    expect(printable('a\u202eb')).not.toContain('\u202e');
    const [found] = check({ name: `../${'x'.repeat(300)}\u001b` });
    expect(found?.file).toBe(`../${'x'.repeat(197)}…`);
  });
});

describe('sizes', () => {
  it('[B20] may reach their limits but not exceed them', () => {
    const whole = { bytes: LIMITS.fileBytes, name: 'a' };
    expect(check(whole)).toEqual([]);
    expect(check({ ...whole, bytes: LIMITS.fileBytes + 1 })).toEqual([
      {
        code: 'FILE_TOO_LARGE',
        file: 'a',
        message: 'the file has 16 MiB, more than the limit of 16 MiB',
      },
    ]);
    const four = ['a', 'b', 'c', 'd'].map((name) => ({ ...whole, name }));
    expect(check(...four)).toEqual([]);
    expect(check(...four, { name: 'e', bytes: 1.5 * MIB })).toEqual([
      {
        code: 'PACKAGE_TOO_LARGE',
        file: '.',
        message: 'the files add up to 65.5 MiB, more than the limit of 64 MiB',
      },
    ]);
    expect(codes(...four, { name: 'e', bytes: 1 })).toEqual(['PACKAGE_TOO_LARGE']);
  });

  it('[B20] may be 200 times the compressed size', () => {
    expect(codes({ name: 'a', bytes: 200, compressedBytes: 1 })).toEqual([]);
    expect(codes({ name: 'a', bytes: 201, compressedBytes: 1 })).toEqual(['RATIO_TOO_HIGH']);
    expect(codes({ name: 'a', bytes: 1, compressedBytes: 0 })).toEqual(['RATIO_TOO_HIGH']);
    expect(codes({ name: 'a', bytes: 0, compressedBytes: 0 })).toEqual([]);
    // In a folder nothing is compressed.
    expect(codes({ name: 'a', bytes: MIB })).toEqual([]);
  });

  it('[B20] compressed may exceed uncompressed by one percent and a kilobyte', () => {
    expect(codes({ name: 'a', bytes: 1_000, compressedBytes: 2_034 })).toEqual([]);
    expect(codes({ name: 'a', bytes: 1_000, compressedBytes: 2_035 })).toEqual(['ARCHIVE_DAMAGED']);
    expect(codes({ name: 'a', bytes: 0, compressedBytes: 1_024 })).toEqual([]);
    expect(codes({ name: 'a', bytes: 0, compressedBytes: 1_025 })).toEqual(['ARCHIVE_DAMAGED']);
  });
});

describe('kinds', () => {
  it('[B20] other than plain files and folders are rejected', () => {
    expect(codes({ name: 'a', kind: 'link' })).toEqual(['ENTRY_IS_LINK']);
    expect(codes({ name: 'a', kind: 'special' })).toEqual(['ENTRY_IS_SPECIAL']);
    expect(codes({ name: 'a/', bytes: 1 })).toEqual(['ENTRY_IS_SPECIAL']);
    expect(codes({ name: 'a/' }, { name: 'a/b', bytes: 1 })).toEqual([]);
  });
});

describe('names that clash on some disk', () => {
  it('[B20] are reported once, with the name they clash with', () => {
    expect(check({ name: 'A/b' }, { name: 'a/b' }, { name: 'a/c' })).toEqual([
      {
        code: 'ENTRY_CLASH',
        file: 'a/b',
        message: 'the name differs from "A" only in letter case or Unicode form',
      },
      {
        code: 'ENTRY_CLASH',
        file: 'a/b',
        message: 'the name differs from "A/b" only in letter case or Unicode form',
      },
    ]);
  });

  it('[B20] are a file and a folder at once', () => {
    expect(check({ name: 'a' }, { name: 'a/b' }, { name: 'a/c' })).toEqual([
      { code: 'ENTRY_CLASH', file: 'a/b', message: '"a" is both a file and a folder' },
    ]);
    expect(codes({ name: 'a/b' }, { name: 'a' })).toEqual(['ENTRY_CLASH']);
    expect(codes({ name: 'a/b' }, { name: 'A' })).toEqual(['ENTRY_CLASH']);
    expect(codes({ name: 'a/' }, { name: 'A' })).toEqual(['ENTRY_CLASH']);
    expect(codes({ name: 'a/b' }, { name: 'a/b/c' })).toEqual(['ENTRY_CLASH']);
    expect(codes({ name: 'a/b/c' }, { name: 'ab' }, { name: 'a/bc' })).toEqual([]);
  });

  it('[B20] may be folders that are listed several times', () => {
    expect(
      codes({ name: 'a/' }, { name: 'a/' }, { name: 'a/b/' }, { name: 'a/b/c' }, { name: 'a/b/d' }),
    ).toEqual([]);
    expect(codes({ name: 'a/b' }, { name: 'a/' })).toEqual([]);
  });

  it('[B20] include files that are listed twice', () => {
    expect(check({ name: 'a/b' }, { name: 'a/b' })).toEqual([
      { code: 'ENTRY_DUPLICATE', file: 'a/b', message: 'the archive has two entries with this name' },
    ]);
  });

  it('[B20] are not checked for names that are rejected anyway', () => {
    expect(codes({ name: '../a' }, { name: '../A' })).toEqual(['ENTRY_NAME_UNSAFE', 'ENTRY_NAME_UNSAFE']);
  });
});
