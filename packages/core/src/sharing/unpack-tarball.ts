/**
 * Reads the gzipped tar of an npm package into a folder. Bounded: it inflates no more than a package may have, accepts plain files
 * and folders only, and every name passes the rules of archives before anything is written. Nothing in it is executed.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { CrewError } from '../base/crew-error.ts';
import { addTooManyEntries, checkEntries, type EntryFacts, LIMITS } from '../bmad/archive/entry-rules.ts';
import { createFindings } from '../bmad/findings/findings.ts';
import { invalidPackage } from '../bmad/load-package.ts';

interface TarEntry {
  readonly name: string;
  readonly kind: EntryFacts['kind'];
  readonly content: Buffer;
}

const inflate = promisify(gunzip);
const BLOCK = 512;
/** A header and the rest of a block for each entry, and headers for long names. */
const MAX_TAR_BYTES = LIMITS.totalBytes + LIMITS.entries * 4 * BLOCK;

/** `shown` names the tarball in messages. Throws PACKAGE_INVALID; then nothing was written. */
export async function unpackTarball(packed: Buffer, folder: string, shown: string): Promise<void> {
  const tar = await inflate(packed, { maxOutputLength: MAX_TAR_BYTES }).catch((cause: unknown) => {
    const isTooLarge = (cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE';
    throw damaged(
      shown,
      isTooLarge ? 'it unpacks to more than a package may have' : 'it is not a gzip archive',
    );
  });
  const entries = withoutRoot(readEntries(tar, shown), shown);
  const findings = createFindings();
  if (entries.length > LIMITS.entries) addTooManyEntries(findings);
  else
    checkEntries(
      entries.map(({ name, kind, content }) => ({ name, kind, bytes: content.length })),
      findings,
    );
  if (findings.hasErrors) throw invalidPackage(shown, findings.list());
  for (const { name, content } of entries.filter(({ kind }) => kind === 'file')) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
  }
}

function readEntries(tar: Buffer, shown: string): TarEntry[] {
  const entries: TarEntry[] = [];
  /** Of a header before the entry it belongs to. */
  let long: { path?: string | undefined } = {};
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return entries;
    const bytes = parseOctal(header, 124, 12);
    if (bytes === undefined || !hasChecksum(header)) throw damaged(shown, 'a header of its tar is damaged');
    const content = tar.subarray(at + BLOCK, at + BLOCK + bytes);
    if (content.length < bytes) throw damaged(shown, 'its tar ends too early');
    at += BLOCK + Math.ceil(bytes / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x' || type === 'L') {
      long = type === 'L' ? { path: textOf(content) } : parsePax(content, shown);
      continue;
    }
    // Comments for all entries, such as the commit that git adds.
    if (type === 'g') continue;
    entries.push({ name: long.path ?? nameIn(header), kind: KINDS[type] ?? 'special', content });
    long = {};
    if (entries.length > LIMITS.entries) return entries;
  }
  throw damaged(shown, 'its tar has no end');
}

const KINDS: Readonly<Record<string, EntryFacts['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '1': 'link',
  '2': 'link',
  '5': 'folder',
};

function nameIn(header: Buffer): string {
  const name = textOf(header.subarray(0, 100));
  const isUstar = header.toString('latin1', 257, 262) === 'ustar';
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** `LENGTH key=value\n`, where only the path matters here. A size of its own would hide other entries. */
function parsePax(content: Buffer, shown: string): { path?: string } {
  const found: { path?: string } = {};
  for (let at = 0; at < content.length; ) {
    const [, digits = '', key = ''] =
      /^(\d{1,7}) ([^=\n]{1,100})=/.exec(content.toString('latin1', at, at + 120)) ?? [];
    const length = Number(digits);
    const start = at + digits.length + key.length + 2;
    if (digits === '' || at + length > content.length || start >= at + length || key === 'size')
      throw damaged(shown, 'a header of its tar is damaged');
    if (key === 'path') found.path = content.toString('utf8', start, at + length - 1);
    at += length;
  }
  return found;
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? field.length : end);
}

function parseOctal(header: Buffer, start: number, length: number): number | undefined {
  const text = header
    .toString('latin1', start, start + length)
    .replace(/[\0 ]+$/, '')
    .trimStart();
  return /^[0-7]{1,12}$/.test(text) ? Number.parseInt(text, 8) : undefined;
}

/** The sum of all bytes of the header, with blanks in place of the sum. */
function hasChecksum(header: Buffer): boolean {
  let sum = 8 * 32;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  return parseOctal(header, 148, 8) === sum;
}

/** npm puts everything into one folder, usually `package`. */
function withoutRoot(entries: readonly TarEntry[], shown: string): TarEntry[] {
  const [root] = entries[0]?.name.split('/') ?? [];
  if (root === undefined) throw damaged(shown, 'it is empty');
  if (!entries.every(({ name }) => name.startsWith(`${root}/`)))
    throw damaged(shown, 'its files are not in one folder');
  return entries
    .map((entry) => ({ ...entry, name: entry.name.slice(root.length + 1) }))
    .filter(({ name }) => name !== '');
}

function damaged(shown: string, reason: string): CrewError {
  return invalidPackage(shown, [
    {
      severity: 'error',
      code: 'ARCHIVE_DAMAGED',
      file: '.',
      message: `the tarball cannot be used: ${reason}`,
      fix: 'Ask the author of the package for a new version.',
    },
  ]);
}
