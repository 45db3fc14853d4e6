/**
 * Writes a converted package into a folder: a new one, or one of an earlier import, preserving hand edits. Stores the imported
 * versions in `.crewagent-import/`, which is never packed.
 */
import { lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ImportReport, importReportSchema } from '@crewagent/protocol/import-report';
import { parseJson } from '@crewagent/protocol/json-object';
import { applyPatch, structuredPatch } from 'diff';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent, withDiskErrors } from '../base/errno.ts';
import { listTree } from '../base/list-tree.ts';
import { makeFolders } from '../base/make-folders.ts';
import { mapLimit } from '../base/map-limit.ts';
import { isOnDisk } from '../base/small-files.ts';
import type { PackageContents } from './package-files.ts';

export const MEMORY_FOLDER = '.crewagent-import';
export const REPORT_FILE = 'import-report.json';
/** In the memory folder: where the source is. No file of a package has this path. */
export const ORIGIN_FILE = '.origin.json';

export type Edits = ImportReport['edits'];

type Identity = Pick<ImportReport, 'source' | 'package' | 'workflows'>;

const CONCURRENCY = 16;

export async function writeImport(folder: string, files: PackageContents, report: Identity): Promise<Edits> {
  return withDiskErrors(`Could not write the package to "${folder}"`, async () => {
    await checkTarget(folder, report);
    const before = listMemory(join(folder, MEMORY_FOLDER));
    const paths = [...new Set([...files.keys(), ...before])].sort();
    const plain = new Set<string>();
    const memory = { root: join(folder, MEMORY_FOLDER), plain };
    const target = { root: folder, plain };
    const outcomes = await mapLimit(paths, CONCURRENCY, (path) =>
      updateFile(target, memory, path, files.get(path)),
    );
    // Stored last: an interrupted import is simply repeated.
    await mapLimit(paths, CONCURRENCY, (path) => writeVersion(memory, path, toBuffer(files.get(path))));
    const of = (kind: string): string[] => paths.filter((_, index) => outcomes[index] === kind);
    return { kept: of('kept'), merged: of('merged'), conflicts: of('conflict') };
  });
}

async function checkTarget(folder: string, report: Identity): Promise<void> {
  const names = (await ifPresent(readdir(folder))) ?? [];
  if (names.length === 0) return;
  if (!names.includes(MEMORY_FOLDER) && !names.includes(REPORT_FILE))
    throw new CrewError(
      'TARGET_EXISTS',
      `"${folder}" is not empty and not an earlier import. Choose a new or empty folder with -o.`,
    );
  const earlier = await readReport(folder);
  const isOther = earlier && !isSameSource(earlier, report);
  if (isOther)
    throw new CrewError(
      'TARGET_EXISTS',
      `"${folder}" was imported from "${earlier.source.name}", not from "${report.source.name}". Choose another folder with -o.`,
    );
}

/** A new version of a source may be in a folder or zip of another name, and may have other workflows. */
function isSameSource(earlier: Identity, now: Identity): boolean {
  const ids = new Set(earlier.workflows.map(({ id }) => id));
  return (
    earlier.source.name === now.source.name ||
    earlier.package.name === now.package.name ||
    now.workflows.some(({ id }) => ids.has(id))
  );
}

/** The report of the earlier import; undefined if it is missing or was damaged. */
export async function readReport(folder: string): Promise<ImportReport | undefined> {
  const text = await ifPresent(readFile(join(folder, REPORT_FILE), 'utf8'));
  try {
    return importReportSchema.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}

interface Tree {
  readonly root: string;
  /** Folders that are known not to be links. */
  readonly plain: Set<string>;
}

async function updateFile(
  target: Tree,
  memory: Tree,
  path: string,
  content: string | Buffer | undefined,
): Promise<string> {
  const [base, mine] = await Promise.all([readVersion(memory, path), readVersion(target, path)]);
  const merged = mergeEdits(path, base, mine, toBuffer(content));
  if (merged.kind === 'write' || merged.kind === 'merged') await writeVersion(target, path, merged.content);
  return merged.kind;
}

function toBuffer(content: string | Buffer | undefined): Version {
  return typeof content === 'string' ? Buffer.from(content) : content;
}

async function readVersion(tree: Tree, path: string): Promise<Version> {
  return ifPresent(checkPlain(tree, path).then(() => readFile(join(tree.root, path))));
}

async function writeVersion(tree: Tree, path: string, content: Version): Promise<void> {
  const target = join(tree.root, path);
  if (content === undefined) return rm(target, { force: true });
  makeFolders(dirname(target));
  await checkPlain(tree, path);
  await writeFile(target, content);
}

/** Throws if the file or a folder on its path is a link, so that nothing outside of the folder is read or written. */
async function checkPlain({ root, plain }: Tree, path: string): Promise<void> {
  const segments = path.split('/');
  for (let count = 1; count <= segments.length; count++) {
    const part = join(root, ...segments.slice(0, count));
    // A folder is checked once; a file each time, because it is opened next.
    if (count < segments.length && plain.has(part)) continue;
    const isLink = (await lstat(part).catch(() => undefined))?.isSymbolicLink();
    if (!isLink) plain.add(part);
    else
      throw new CrewError(
        'TARGET_EXISTS',
        `"${part}" is a symbolic link. Remove it, or import into another folder.`,
      );
  }
}

function listMemory(folder: string): string[] {
  if (!isOnDisk(folder)) return [];
  const files = [...listTree(folder)].filter(({ entry, path }) => entry.isFile() && path !== ORIGIN_FILE);
  return files.map(({ path }) => path);
}

type Version = Buffer | undefined;

type Merged =
  /** Deletes the file if `content` is undefined. */
  | { readonly kind: 'write'; readonly content: Version }
  | { readonly kind: 'same' }
  | { readonly kind: 'kept' }
  | { readonly kind: 'merged'; readonly content: Buffer }
  | { readonly kind: 'conflict' };

/**
 * Three-way merge of a file: the version of the last import, the person's version, and the version of this import. An edit is never
 * lost: on conflict the person's version wins.
 */
function mergeEdits(path: string, base: Version, mine: Version, theirs: Version): Merged {
  if (isEqual(mine, theirs)) return { kind: 'same' };
  if (isEqual(mine, base)) return { kind: 'write', content: theirs };
  if (isEqual(theirs, base)) return { kind: 'kept' };
  if (!base || !mine || !theirs) return { kind: 'conflict' };
  const merged = mergeText(path, base, mine, theirs);
  return merged === undefined ? { kind: 'conflict' } : { kind: 'merged', content: merged };
}

function isEqual(a: Version, b: Version): boolean {
  return a === b || (a !== undefined && b !== undefined && a.equals(b));
}

/** Context lines that must match for a change of the source to apply to the person's version. */
const CONTEXT = 2;
const MAX_EDITS = 2_000;

function mergeText(path: string, base: Buffer, mine: Buffer, theirs: Buffer): Buffer | undefined {
  const texts = [base, mine, theirs].map((bytes) => bytes.toString('utf8'));
  if (texts.some((text) => text.includes('\uFFFD'))) return undefined;
  const [from = '', edited = '', to = ''] = texts;
  const patch = structuredPatch(path, path, from, to, '', '', { context: CONTEXT, maxEditLength: MAX_EDITS });
  const merged = patch && applyPatch(edited, patch, { autoConvertLineEndings: false });
  if (merged === false || merged === undefined) return undefined;
  return path.endsWith('.json') && parseJson(merged) === undefined ? undefined : Buffer.from(merged);
}
