/**
 * Reads the folder or zip to import into memory, within limits. Unpacks nothing to disk, follows no links and executes nothing; an
 * entry that cannot be used is skipped with a finding. Of a zip at most `totalBytes` are inflated, whatever it declares.
 */
import { open } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { SourceFinding } from '@crewagent/protocol/import-report';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf, errnoSentence, withDiskErrors } from '../../base/errno.ts';
import { isIgnoredName } from '../../base/ignored-names.ts';
import { mapLimit } from '../../base/map-limit.ts';
import { sha256Of } from '../../base/sha256.ts';
import { type EntryFacts, nameDanger, printable } from '../../bmad/archive/entry-rules.ts';
import { describeOtherFile, listEntries } from '../../bmad/archive/open-archive.ts';
import { listFolder, readPlainFile } from '../../bmad/archive/open-folder.ts';
import { DamagedFile } from '../../bmad/archive/package-files.ts';

export interface SourceLimits {
  readonly entries: number;
  readonly depth: number;
  readonly fileBytes: number;
  readonly totalBytes: number;
}

export const SOURCE_LIMITS: SourceLimits = {
  entries: 10_000,
  depth: 24,
  fileBytes: 1024 * 1024,
  totalBytes: 48 * 1024 * 1024,
};

export type SourceTree = ReturnType<typeof createSourceTree>;

/** `name`: of the source in the report; default: that of the folder. */
export async function readSource(
  folder: string,
  { name = basename(resolve(folder)), limits = SOURCE_LIMITS }: ReadOptions = {},
): Promise<SourceTree> {
  const findings: SourceFinding[] = [];
  const listed = await listSource(folder, limits, findings);
  const entries = listed.map((entry) => ({
    ...entry,
    read: () => readPlainFile(folder, entry.name, limits.fileBytes),
  }));
  return createSourceTree(name, await readEntries(entries, limits, findings), findings);
}

interface ReadOptions {
  readonly name?: string | undefined;
  readonly limits?: SourceLimits;
}

/** `name`: of the source in the report; default: that of the file. */
export async function readSourceArchive(
  path: string,
  { name = basename(path), limits = SOURCE_LIMITS }: ReadOptions = {},
): Promise<SourceTree> {
  const handle = await withDiskErrors(`Could not read "${name}"`, () => open(path));
  try {
    const findings: SourceFinding[] = [];
    const contents = await readEntries(await listEntries(handle, limits.entries + 1), limits, findings);
    const { root, files } = withoutRoot(contents);
    return createSourceTree(root ?? name.replace(/\.(?:zip|bmad)$/i, ''), files, findings);
  } catch (error) {
    if (!(error instanceof DamagedFile)) throw error;
    const reason = (await describeOtherFile(handle)) ?? error.message;
    throw new CrewError(
      'USAGE',
      `"${printable(name)}" cannot be read as a zip: ${reason}. Use a folder or a zip file.`,
    );
  } finally {
    await handle.close();
  }
}

export function createSourceTree(
  name: string,
  contents: ReadonlyMap<string, Buffer>,
  findings: readonly SourceFinding[] = [],
) {
  const texts = new Map<string, string | undefined>();
  const folders = new Set<string>();
  const byName = new Map<string, string[]>();
  for (const path of contents.keys()) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      folders.add(path.slice(0, at + 1));
    const name = path.slice(path.lastIndexOf('/') + 1);
    byName.set(name, [...(byName.get(name) ?? []), path]);
  }
  const decode = (path: string): string | undefined => {
    const bytes = contents.get(path);
    try {
      return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      return undefined;
    }
  };
  return {
    /** Name of the folder; its location on this machine is never reported. */
    name,
    /** Sorted, `/`-separated, relative to the folder. */
    paths: [...contents.keys()].sort(),
    has: (path: string) => contents.has(path),
    /** Whether a folder, given with a trailing `/`, contains a file. */
    hasFolder: (path: string) => folders.has(path),
    /** All files with this name, in any folder. */
    named: (name: string): readonly string[] => byName.get(name) ?? [],
    bytes: (path: string) => contents.get(path),
    /** Hash of all paths and contents. */
    sha256(): string {
      const listed = [...contents].map(([path, bytes]) => `${sha256Of(bytes)} ${path}\n`);
      return sha256Of(listed.sort().join(''));
    },
    /** Undefined for a missing file, or one that is not UTF-8. */
    text(path: string): string | undefined {
      if (!texts.has(path)) texts.set(path, decode(path));
      return texts.get(path);
    },
    findings: findings.toSorted((a, b) => (a.file < b.file ? -1 : 1)),
  };
}

/** Sorted by name. Folders with a dangerous name, or too deep, are not opened. */
async function listSource(
  folder: string,
  limits: SourceLimits,
  findings: SourceFinding[],
): Promise<EntryFacts[]> {
  try {
    const entries = await listFolder(folder, limits.entries, (path, entry) => {
      if (isIgnoredName(entry.name)) return true;
      const issue = entry.isDirectory() ? findNameIssue(`${path}/`, limits) : undefined;
      if (issue) findings.push({ ...issue, file: printable(path) });
      return issue !== undefined;
    });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const sentence = errnoSentence(error);
    if (sentence === undefined) throw error;
    const { path = folder } = error as NodeJS.ErrnoException;
    if (path === join(folder) && /^(?:ENOENT|ENOTDIR)$/.test(errnoOf(error) ?? ''))
      throw new CrewError(
        'FOLDER_NOT_FOUND',
        `There is no folder "${folder}". Check the path of the folder or zip to import.`,
      );
    throw new CrewError('DISK', `Could not read "${path}": ${sentence}.`, { cause: error });
  }
}

interface SourceEntry extends EntryFacts {
  /** False for an encrypted entry of a zip, and an unknown compression. */
  readonly isReadable?: boolean;
  /** Throws `DamagedFile`. */
  read(): Promise<Buffer>;
}

const CONCURRENCY = 16;

async function readEntries(
  entries: readonly SourceEntry[],
  limits: SourceLimits,
  findings: SourceFinding[],
): Promise<Map<string, Buffer>> {
  if (entries.length > limits.entries) {
    const message = `there are more than ${limits.entries} files and folders; the rest were not read`;
    findings.push({ code: 'TOO_MANY', file: '.', message });
  }
  const usable = new Map<string, SourceEntry>();
  let total = 0;
  for (const entry of entries.slice(0, limits.entries)) {
    if (entry.kind === 'folder' || entry.name.split('/').some(isIgnoredName)) continue;
    const issue = usable.has(entry.name) ? REPEATED : findIssue(entry, total, limits);
    if (issue) findings.push({ ...issue, file: printable(entry.name) });
    else {
      usable.set(entry.name, entry);
      total += entry.bytes;
    }
  }
  const contents = await mapLimit([...usable.values()], CONCURRENCY, async ({ name, read }) => {
    try {
      return [[name, await read()] as const];
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      const sentence = errnoSentence(error.cause);
      const message = sentence ? `it cannot be read: ${sentence}` : 'it is damaged and was not read';
      findings.push({ code: 'NOT_READABLE', file: printable(name), message });
      return [];
    }
  });
  return new Map(contents.flat());
}

type Issue = Omit<SourceFinding, 'file'>;

const REPEATED: Issue = { code: 'UNSAFE_NAME', message: 'the name is used twice; the first file was read' };

function findIssue(entry: SourceEntry, total: number, limits: SourceLimits): Issue | undefined {
  const { name, kind, bytes, isReadable = true } = entry;
  const issue = findNameIssue(name, limits);
  if (issue) return issue;
  if (kind === 'link') return { code: 'LINK', message: 'this is a symbolic link, which is not followed' };
  if (kind !== 'file') return { code: 'SPECIAL', message: 'this is neither a file nor a folder' };
  const tooLarge = describeSize(bytes, total, limits);
  if (tooLarge !== undefined) return { code: 'TOO_LARGE', message: tooLarge };
  return isReadable
    ? undefined
    : { code: 'NOT_READABLE', message: 'it is encrypted or uses an unknown compression' };
}

/** The name of a folder ends in `/`. */
function findNameIssue(name: string, { depth }: SourceLimits): Issue | undefined {
  const danger = nameDanger(name);
  if (danger !== undefined) return { code: 'UNSAFE_NAME', message: `the name ${danger}` };
  if (name.split('/').length <= depth) return undefined;
  return { code: 'TOO_DEEP', message: `the folder is more than ${depth} levels deep and was not read` };
}

function describeSize(
  bytes: number,
  total: number,
  { fileBytes, totalBytes }: SourceLimits,
): string | undefined {
  if (bytes > fileBytes) return `the file is larger than ${fileBytes / 1024 / 1024} MiB and was not read`;
  return total + bytes > totalBytes
    ? `the files add up to more than ${totalBytes / 1024 / 1024} MiB; this one was not read`
    : undefined;
}

/** Most archives contain one folder, with everything else in it. */
function withoutRoot(contents: ReadonlyMap<string, Buffer>): {
  root?: string;
  files: ReadonlyMap<string, Buffer>;
} {
  const [first = ''] = contents.keys();
  const root = first.slice(0, first.indexOf('/') + 1);
  if (root === '' || [...contents.keys()].some((path) => !path.startsWith(root))) return { files: contents };
  const files = new Map([...contents].map(([path, bytes]) => [path.slice(root.length), bytes]));
  return { root: root.slice(0, -1), files };
}
