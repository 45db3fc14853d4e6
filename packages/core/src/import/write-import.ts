/**
 * Writes a converted package into a folder: a new one, or one of an earlier import, whose hand edits are kept. What was
 * written is remembered in `.crewagent-import/`, which no package carries.
 */
import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ImportReport } from '@crewagent/protocol/import-report';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { mapLimit } from '../base/map-limit.ts';
import { mergeEdits, type Version } from './merge-edits.ts';
import type { PackageContents } from './package-files.ts';

export const MEMORY_FOLDER = '.crewagent-import';
export const REPORT_FILE = 'import-report.json';

export type Edits = ImportReport['edits'];

const LANES = 16;

export async function writeImport(folder: string, files: PackageContents): Promise<Edits> {
  return withDiskErrors(`Could not write the package to "${folder}"`, async () => {
    await checkTarget(folder);
    const before = await listMemory(join(folder, MEMORY_FOLDER));
    const paths = [...new Set([...files.keys(), ...before])].sort();
    const outcomes = await mapLimit(paths, LANES, (path) => updateFile(folder, path, files.get(path)));
    // Remembered last: an import that was cut short is simply done again.
    await mapLimit(paths, LANES, (path) =>
      writeVersion(join(folder, MEMORY_FOLDER), path, toBuffer(files.get(path))),
    );
    const of = (kind: string): string[] => paths.filter((_, index) => outcomes[index] === kind);
    return { kept: of('kept'), merged: of('merged'), conflicts: of('conflict') };
  });
}

async function checkTarget(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown): string[] => {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0 || names.includes(MEMORY_FOLDER) || names.includes(REPORT_FILE)) return;
  throw new CrewError(
    'TARGET_EXISTS',
    `"${folder}" is not empty and holds no earlier import; give a new or empty folder with -o.`,
  );
}

async function updateFile(
  folder: string,
  path: string,
  content: string | Buffer | undefined,
): Promise<string> {
  const [base, mine] = await Promise.all([
    readVersion(join(folder, MEMORY_FOLDER), path),
    readVersion(folder, path),
  ]);
  const merged = mergeEdits(path, base, mine, toBuffer(content));
  if (merged.kind === 'write' || merged.kind === 'merged') await writeVersion(folder, path, merged.content);
  return merged.kind;
}

function toBuffer(content: string | Buffer | undefined): Version {
  return typeof content === 'string' ? Buffer.from(content) : content;
}

async function readVersion(root: string, path: string): Promise<Version> {
  try {
    await checkPlain(root, path);
    return await readFile(join(root, path));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeVersion(root: string, path: string, content: Version): Promise<void> {
  const target = join(root, path);
  if (content === undefined) return rm(target, { force: true });
  await mkdir(dirname(target), { recursive: true });
  await checkPlain(root, path);
  await writeFile(target, content);
}

/** Neither the file nor a folder on the way to it is a link, so nothing outside of the folder is read or written. */
async function checkPlain(root: string, path: string): Promise<void> {
  const segments = path.split('/');
  for (let count = 1; count <= segments.length; count++) {
    const part = join(root, ...segments.slice(0, count));
    const isLink = (await lstat(part).catch(() => undefined))?.isSymbolicLink();
    if (isLink)
      throw new CrewError(
        'TARGET_EXISTS',
        `"${part}" is a symbolic link; remove it, or import into another folder.`,
      );
  }
}

async function listMemory(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .replaceAll('\\', '/'),
      );
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
