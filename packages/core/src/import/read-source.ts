/**
 * Reads the folder to import into memory, within limits. Follows no links and executes nothing; a file that cannot be used is
 * skipped with a finding.
 */
import { constants } from 'node:fs';
import { lstat, open, opendir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { SourceFinding } from '@crewagent/protocol/import-report';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, errnoSentence } from '../base/errno.ts';
import { isIgnoredName } from '../base/ignored-names.ts';
import { mapLimit } from '../base/map-limit.ts';
import { nameDanger, printable } from '../bmad/archive/entry-rules.ts';

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

export interface SourceTree {
  /** Name of the folder; its location on this machine is never reported. */
  readonly name: string;
  /** Sorted, `/`-separated, relative to the folder. */
  readonly paths: readonly string[];
  has(path: string): boolean;
  /** Whether a folder, given with a trailing `/`, contains a file. */
  hasFolder(path: string): boolean;
  /** All files with this name, in any folder. */
  named(name: string): readonly string[];
  bytes(path: string): Buffer | undefined;
  /** Undefined for a missing file, or one that is not UTF-8. */
  text(path: string): string | undefined;
  readonly findings: readonly SourceFinding[];
}

export async function readSource(folder: string, limits = SOURCE_LIMITS): Promise<SourceTree> {
  const findings: SourceFinding[] = [];
  const names = await listFiles(folder, limits, findings);
  const contents = await readFiles(folder, names, limits, findings);
  findings.sort((a, b) => (a.file < b.file ? -1 : 1));
  return createSourceTree(basename(resolve(folder)), contents, findings);
}

export function createSourceTree(
  name: string,
  contents: ReadonlyMap<string, Buffer>,
  findings: readonly SourceFinding[] = [],
): SourceTree {
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
    name,
    paths: [...contents.keys()].sort(),
    has: (path) => contents.has(path),
    hasFolder: (path) => folders.has(path),
    named: (name) => byName.get(name) ?? [],
    bytes: (path) => contents.get(path),
    text(path) {
      if (!texts.has(path)) texts.set(path, decode(path));
      return texts.get(path);
    },
    findings,
  };
}

async function listFiles(root: string, limits: SourceLimits, findings: SourceFinding[]): Promise<string[]> {
  const files: string[] = [];
  const pending = [''];
  let entries = 0;
  for (let folder = pending.shift(); folder !== undefined; folder = pending.shift()) {
    for await (const entry of await openFolder(root, folder)) {
      const name = folder + entry.name;
      if (isIgnoredName(entry.name)) continue;
      if (++entries > limits.entries) {
        const message = `there are more than ${limits.entries} files and folders; the rest were not read`;
        findings.push({ code: 'TOO_MANY', file: '.', message });
        return files;
      }
      const danger = nameDanger(name);
      if (danger !== undefined) {
        findings.push({ code: 'UNSAFE_NAME', file: printable(name), message: `the name ${danger}` });
      } else if (entry.isDirectory()) {
        if (name.split('/').length < limits.depth) pending.push(`${name}/`);
        else
          findings.push({
            code: 'TOO_DEEP',
            file: name,
            message: `the folder is more than ${limits.depth} levels deep and was not read`,
          });
      } else if (entry.isFile()) files.push(name);
      else if (entry.isSymbolicLink())
        findings.push({
          code: 'LINK',
          file: name,
          message: 'this is a symbolic link, which is not followed',
        });
      else findings.push({ code: 'SPECIAL', file: name, message: 'this is neither a file nor a folder' });
    }
  }
  return files;
}

async function openFolder(root: string, folder: string) {
  try {
    return await opendir(join(root, folder));
  } catch (error) {
    const sentence = errnoSentence(error);
    if (sentence === undefined) throw error;
    const code = errnoOf(error);
    if (folder === '' && (code === 'ENOENT' || code === 'ENOTDIR'))
      throw new CrewError(
        'FOLDER_NOT_FOUND',
        `There is no folder "${root}". Check the path of the folder or zip to import.`,
      );
    throw new CrewError('DISK', `Could not read "${join(root, folder)}": ${sentence}.`, { cause: error });
  }
}

const CONCURRENCY = 16;

async function readFiles(
  root: string,
  names: readonly string[],
  limits: SourceLimits,
  findings: SourceFinding[],
): Promise<Map<string, Buffer>> {
  let total = 0;
  const read = await mapLimit(
    [...names].sort(),
    CONCURRENCY,
    async (name): Promise<[string, Buffer] | undefined> => {
      const path = join(root, name);
      try {
        const { size } = await lstat(path);
        if (size > limits.fileBytes || total + size > limits.totalBytes) {
          findings.push({ code: 'TOO_LARGE', file: name, message: describeSize(size, limits) });
          return undefined;
        }
        total += size;
        return [name, await readPlainFile(path, limits.fileBytes)];
      } catch (error) {
        const sentence = errnoSentence(error);
        if (sentence === undefined) throw error;
        findings.push({ code: 'NOT_READABLE', file: name, message: `it cannot be read: ${sentence}` });
        return undefined;
      }
    },
  );
  return new Map(read.filter((entry) => entry !== undefined));
}

export function describeSize(bytes: number, { fileBytes, totalBytes }: SourceLimits): string {
  return bytes > fileBytes
    ? `the file is larger than ${fileBytes / 1024 / 1024} MiB and was not read`
    : `the files add up to more than ${totalBytes / 1024 / 1024} MiB; this one was not read`;
}

/** Does not follow a link or a pipe that replaced the file after the listing. Windows has neither flag. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function readPlainFile(path: string, maxBytes: number): Promise<Buffer> {
  const handle = await open(path, OPEN_FLAGS);
  try {
    // A file that has grown since the listing is truncated at the limit.
    const buffer = Buffer.alloc(Math.min((await handle.stat()).size, maxBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
