import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { readTree, tempFolder } from '../testing/temp-folder.ts';
import { unpackTarball } from './unpack-tarball.ts';
import { toHeader, writeTarball } from './write-tarball.ts';

const END = Buffer.alloc(1024);

function padded(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

function entry(name: string, content = 'x', type = '0'): Buffer {
  return Buffer.concat([toHeader(name, Buffer.byteLength(content), type), padded(content)]);
}

function pax(path: string): Buffer {
  const record = (length: number): string => `${length} path=${path}\n`;
  const bytes = Buffer.byteLength(record(0));
  const text = record(Buffer.byteLength(record(bytes)));
  return entry('PaxHeader', text, 'x');
}

/** Why a tarball is refused; what else is in the folder afterwards. */
async function refusal(tarball: Buffer): Promise<string> {
  const root = await tempFolder();
  const error: unknown = await unpackTarball(tarball, join(root, 'out'), 'x').catch(
    (cause: unknown) => cause,
  );
  if (!(error instanceof CrewError)) throw error instanceof Error ? error : new Error('it was accepted');
  expect(await readdir(root)).toEqual([]);
  const [first] = error.details.diagnostics as { code: string; message: string }[];
  return `${first?.code} ${first?.message}`;
}

describe('the tarball of an npm package', () => {
  it('is unpacked without its folder, with long names of all kinds', async () => {
    const long = `${'a/'.repeat(60)}file.md`;
    const root = join(await tempFolder(), 'out');
    const tar = Buffer.concat([
      entry('package/', '', '5'),
      entry('pax_global_header', '20 comment=abcdefgh\n', 'g'),
      pax(`package/${long}`),
      entry('package/short', 'one'),
      entry('././@LongLink', 'package/中.md', 'L'),
      entry('package/other', 'two'),
      END,
    ]);
    await unpackTarball(gzipSync(tar), root, 'x');
    expect(await readTree(root)).toMatchObject({ [long]: 'one', '中.md': 'two' });
    const ours = join(await tempFolder(), 'out');
    await unpackTarball(
      writeTarball({ 'package.json': Buffer.from('{}'), 'a.bmad': Buffer.alloc(512, 1) }),
      ours,
      'x',
    );
    expect(Object.keys(await readTree(ours)).toSorted()).toEqual(['a.bmad', 'package.json']);
  });

  it.each<[what: string, tar: Buffer, refused: RegExp]>([
    ['leaves its folder', entry('package/../../evil'), /^ENTRY_NAME_UNSAFE the name leaves the package/],
    ['is absolute', entry('package//etc/passwd'), /^ENTRY_NAME_UNSAFE/],
    ['has a backslash', entry('package/a\\..\\b'), /^ENTRY_NAME_UNSAFE .* backslash/],
    ['has a drive', entry('package/C:evil'), /^ENTRY_NAME_UNSAFE/],
    ['is a link', entry('package/link', '', '2'), /^ENTRY_IS_LINK/],
    ['is a hard link', entry('package/link', '', '1'), /^ENTRY_IS_LINK/],
    ['is a device', entry('package/null', '', '3'), /^ENTRY_IS_SPECIAL/],
    ['is a pipe', entry('package/pipe', '', '6'), /^ENTRY_IS_SPECIAL/],
    ['is sparse', entry('package/sparse', '', 'S'), /^ENTRY_IS_SPECIAL/],
    ['comes twice', Buffer.concat([entry('package/a'), entry('package/a')]), /^ENTRY_DUPLICATE/],
    ['differs in case', Buffer.concat([entry('package/a'), entry('package/A')]), /^ENTRY_CLASH/],
    ['is outside of the folder', Buffer.concat([entry('package/a'), entry('b')]), /not in one folder/],
    [
      'has a name in a second header',
      Buffer.concat([pax('package/../evil'), entry('package/a')]),
      /leaves the package/,
    ],
    [
      'has a size in a second header',
      Buffer.concat([entry('P', '10 size=9\n', 'x'), entry('package/a')]),
      /damaged/,
    ],
    [
      'has a broken second header',
      Buffer.concat([entry('P', '99999 path=a\n', 'x'), entry('package/a')]),
      /damaged/,
    ],
    ['has a wrong checksum', Buffer.concat([entry('package/a')]).fill(0x39, 0, 4), /damaged/],
    ['ends too early', Buffer.concat([toHeader('package/a', 5_000), Buffer.alloc(512)]), /ends too early/],
    [
      'has too many entries',
      Buffer.concat(Array.from({ length: 2_001 }, (_, n) => entry(`package/${n}`))),
      /^TOO_MANY/,
    ],
  ])('is refused if an entry %s', async (_, tar, refused) => {
    expect(await refusal(gzipSync(Buffer.concat([tar, END])))).toMatch(refused);
  });

  it('is refused if it is a bomb, is empty, has no end or is no tarball', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 1_048_576));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await refusal(bomb)).toMatch(/unpacks to more than a package may have/);
    const large = Buffer.concat([toHeader('package/a', 17 * 1_048_576), Buffer.alloc(17 * 1_048_576), END]);
    expect(await refusal(gzipSync(large))).toMatch(/^FILE_TOO_LARGE/);
    expect(await refusal(gzipSync(END))).toMatch(/it is empty/);
    expect(await refusal(gzipSync(entry('package/a')))).toMatch(/no end/);
    expect(await refusal(Buffer.from('PK'))).toMatch(/not a gzip archive/);
  });

  it('never writes outside of its folder, whatever its bytes are', async () => {
    const good = Buffer.concat([
      pax('package/long/name'),
      entry('package/a', 'text'),
      entry('package/b'),
      END,
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 6 }),
        async (changes) => {
          const tar = Buffer.from(good);
          for (const [at, byte] of changes) tar[at] = byte;
          const root = await tempFolder();
          await unpackTarball(gzipSync(tar), join(root, 'out'), 'x').catch((error: unknown) => {
            if (!(error instanceof CrewError)) throw error;
          });
          expect((await readdir(root)).filter((name) => name !== 'out')).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
