import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type RawEntry, rawZip, zipOfSharedBytes } from '../testing/packages/raw-zip.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { hashArchive } from './archive/archive-signature.ts';
import { readArchive } from './archive/open-archive.ts';
import { DamagedFile } from './archive/package-files.ts';
import { createFindings } from './findings/findings.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

async function handleOf(bytes: Uint8Array): Promise<FileHandle> {
  const path = join(await tempFolder(), 'package.bmad');
  await writeFile(path, bytes);
  const handle = await open(path);
  onTestFinished(() => handle.close());
  return handle;
}

async function readZip(bytes: Uint8Array) {
  const findings = createFindings();
  const files = await readArchive(await handleOf(bytes), 'shown.bmad', findings);
  return { files, found: findings.list().map(({ code, file, message }) => ({ code, file, message })) };
}

/** Compressible, but not by 200 times. */
const textOf = (bytes: number): Buffer =>
  Buffer.from(
    Array.from(
      { length: Math.ceil(bytes / 8) },
      (_, index) => `${(index * 2_654_435_761) % 9_999_991} `,
    ).join(''),
  ).subarray(0, bytes);

describe('the files of an archive', () => {
  it('[B1] are read byte for byte, stored or deflated, small or large, from small and large archives', async () => {
    const sizes = [0, 1, 63, 64, 65, 64 * KIB, 64 * KIB + 1, 300 * KIB];
    const entries: RawEntry[] = sizes.flatMap((size) =>
      [0, 8].map((method) => ({ name: `${method}/${size}`, data: textOf(size), method })),
    );
    const padding = { name: 'padding', data: randomBytes(9 * MIB), method: 0 };
    for (const all of [entries, [padding, ...entries]]) {
      const { files, found } = await readZip(rawZip(all));
      expect(found).toEqual([]);
      expect(files?.paths).toEqual(new Set(all.map(({ name }) => name)));
      for (const { name, data } of all)
        expect(Buffer.compare((await files?.read(String(name))) ?? Buffer.alloc(0), data as Buffer)).toBe(0);
    }
  });

  it('[B1] are files only: folders and missing files cannot be read', async () => {
    const { files } = await readZip(
      rawZip([
        { name: 'dir/', mode: 0o040755, method: 0 },
        { name: 'dir/a', data: 'x' },
        // Written by a tool that does not set Unix modes.
        { name: 'plain', data: 'y', mode: 0 },
      ]),
    );
    expect(files?.paths).toEqual(new Set(['dir/a', 'plain']));
    for (const name of ['dir/', 'dir', 'b', '']) await expect(files?.read(name)).rejects.toThrow(DamagedFile);
  });

  it.each([
    ['a link', 0o120777],
    ['a pipe', 0o010644],
    ['a socket', 0o140755],
    ['a device', 0o020644],
  ])('[B20] are rejected when one is %s', async (_, mode) => {
    const { files, found } = await readZip(rawZip([{ name: 'a', data: 'x', mode }]));
    expect(files).toBeUndefined();
    expect(found).toMatchObject([
      { code: mode === 0o120777 ? 'ENTRY_IS_LINK' : 'ENTRY_IS_SPECIAL', file: 'a' },
    ]);
  });

  it('[B20] are rejected when one is encrypted or uses an unknown compression', async () => {
    const { files, found } = await readZip(
      rawZip([
        { name: 'a', data: 'x'.repeat(20), flags: 1 },
        { name: 'b', data: 'x', method: 12 },
        // Reported as encrypted, not as both.
        { name: 'c', data: 'x'.repeat(20), flags: 1, method: 12 },
      ]),
    );
    expect(files).toBeUndefined();
    expect(found).toMatchObject([
      { code: 'ENTRY_ENCRYPTED', file: 'a' },
      { code: 'ENTRY_METHOD_UNKNOWN', file: 'b', message: expect.stringContaining('method 12') as string },
      { code: 'ENTRY_ENCRYPTED', file: 'c' },
    ]);
  });
});

describe('an entry that does not match the directory', () => {
  const small = textOf(1_000);
  const large = textOf(200 * KIB);

  it.each([
    ['small, deflated', { data: small }],
    ['small, stored', { data: small, method: 0 }],
    ['large, deflated', { data: large }],
    ['large, stored', { data: large, method: 0 }],
  ])('[B20] is rejected: %s', async (_, entry) => {
    const size = entry.data.length;
    const wrong: [RawEntry, string][] = [
      [{ name: 'a', ...entry, declaredSize: size + 1 }, 'does not have the size'],
      [{ name: 'a', ...entry, declaredCrc: 1 }, 'does not match its checksum'],
    ];
    for (const [bad, why] of wrong) {
      const { files, found } = await readZip(rawZip([bad]));
      if (files) await expect(files.read('a')).rejects.toThrow(why);
      else expect(found).not.toEqual([]);
    }
    const { files, found } = await readZip(rawZip([{ name: 'a', ...entry, declaredSize: size - 1 }]));
    if (files) await expect(files.read('a')).rejects.toThrow(DamagedFile);
    else expect(found).not.toEqual([]);
  });

  it('[B20] is rejected when its bytes are not deflated, with the cause', async () => {
    const bytes = rawZip([{ name: 'abc', data: small }]);
    bytes.fill(0xff, 30 + 3 + 2, 30 + 3 + 12);
    const { files } = await readZip(bytes);
    const failure = await files?.read('abc').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DamagedFile);
    expect(failure).toMatchObject({ message: '"abc" cannot be unpacked', cause: expect.any(Error) as Error });
  });

  it('[B20] inflates to no more than the declared size', async () => {
    const bomb = Buffer.alloc(8 * MIB);
    const { files } = await readZip(rawZip([{ name: 'a', data: bomb, declaredSize: 100 * KIB }]));
    const before = process.memoryUsage().arrayBuffers;
    await expect(files?.read('a')).rejects.toThrow(DamagedFile);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MIB);
  });

  it('[B20] cannot share bytes with others to exceed the archive', async () => {
    const { files, found } = await readZip(zipOfSharedBytes());
    expect(files).toBeUndefined();
    expect(found).toMatchObject([{ code: 'ARCHIVE_DAMAGED', file: 'shown.bmad' }]);
  });

  it('[B20] is rejected when the archive ends first', async () => {
    for (const padding of [0, 9 * MIB]) {
      const bytes = rawZip([
        { name: 'a', data: randomBytes(500), method: 0 },
        { name: 'p', data: randomBytes(padding), method: 0 },
      ]);
      // The local header of "a" declares a long name, so that its data would begin after the end.
      bytes.writeUInt16LE(0xffff, 28);
      const handle = await handleOf(bytes);
      const findings = createFindings();
      const files = await readArchive(handle, 'x', findings);
      await expect(files?.read('a')).rejects.toThrow(DamagedFile);
    }
  });
});

describe('an archive that shrinks while it is read', () => {
  it('[B20] is reported as damaged', async () => {
    const path = join(await tempFolder(), 'package.bmad');
    const entries = [
      { name: 'p', data: randomBytes(9 * MIB), method: 0 },
      { name: 'a', data: randomBytes(500), method: 0 },
    ];
    await writeFile(path, rawZip(entries));
    const handle = await open(path);
    onTestFinished(() => handle.close());
    const files = await readArchive(handle, 'x', createFindings());
    await truncate(path, 9 * MIB + 200);
    await expect(files?.read('a')).rejects.toThrow(DamagedFile);
    await truncate(path, MIB);
    await expect(files?.read('p')).rejects.toThrow(DamagedFile);
  });
});

describe('a file that is not an archive', () => {
  const NO_ZIP: [bytes: Buffer | string, what: string][] = [
    ['%PDF-1.7', 'it looks like a PDF document'],
    [Buffer.from([0x1f, 0x8b, 8, 0]), 'it looks like a gzip archive'],
    [Buffer.from([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), 'it looks like a 7-Zip archive'],
    ['Rar!\x1a\x07', 'it looks like a RAR archive'],
    [Buffer.from([0x89, 0x50, 0x4e, 0x47]), 'it looks like a PNG picture'],
    [Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'it looks like a JPEG picture'],
    ['<!doctype html>', 'it looks like a web page'],
    ['<HTML>', 'it looks like a web page'],
    ['{"a":1}', 'it looks like a JSON file'],
    ['---\na: 1\n', 'it looks like a Markdown or YAML file'],
    ['', 'it is empty'],
    ['qwertyuiop', 'it has no zip structure'],
    ['x%PDF', 'it has no zip structure'],
  ];
  it.each(NO_ZIP)('[B10] %j is reported by its actual type', async (bytes, what) => {
    const { files, found } = await readZip(Buffer.from(bytes as string));
    expect(files).toBeUndefined();
    expect(found).toEqual([
      { code: 'NOT_AN_ARCHIVE', file: 'shown.bmad', message: `this is not a .bmad package: ${what}` },
    ]);
  });

  it('[B10] is reported as damaged if it is truncated, with one short reason', async () => {
    const whole = rawZip([{ name: 'a', data: textOf(5_000) }]);
    const { files, found } = await readZip(whole.subarray(0, 400));
    expect(files).toBeUndefined();
    expect(found).toMatchObject([{ code: 'ARCHIVE_DAMAGED', file: 'shown.bmad' }]);
    expect(found[0]?.message).toContain('central directory');
    expect(found[0]?.message).toMatch(/^the archive is damaged or truncated \([a-z][^.;:\n()A-Z]*\)$/);
  });

  it('[B20] a file of a changed archive is read unchanged or not at all', async () => {
    const data = textOf(3_000);
    const whole = rawZip([
      { name: 'a', data },
      { name: 'b', data, method: 0 },
    ]);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (at, value) => {
        const bytes = Buffer.from(whole);
        bytes[at] = value;
        const { files, found } = await readZip(bytes);
        if (!files) expect(found).not.toEqual([]);
        for (const path of files?.paths ?? []) {
          const read = await files?.read(path).catch((error: unknown) => error);
          if (read instanceof Buffer) expect(Buffer.compare(read, data)).toBe(0);
          else expect(read).toBeInstanceOf(DamagedFile);
        }
      }),
    );
  });
});

describe('the hash of an archive', () => {
  it('[B30] covers all of its bytes', async () => {
    for (const size of [0, 1, MIB, MIB + 1, 2 * MIB + 7]) {
      const bytes = randomBytes(size);
      expect(await hashArchive(await handleOf(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'));
    }
  });
});
