/**
 * Goes through a file, a link or a folder with everything in it. Folders are held open on the way down and no link is
 * followed, so that nothing swapped in meanwhile leads elsewhere.
 */
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  readlinkSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { errnoOf } from '../base/errno.ts';
import { enterFolder, type OpenPath, pathIn } from './folder-walk.ts';
import { createReader, type FileReader, nextTurn, openPlainFile, readEntries, special } from './open-path.ts';
import { lookAtPath, systemError, type TreeEntry } from './tree-entry.ts';

/** One thing in a tree. What it offers is good until the next one is asked for. */
export interface TreeVisit {
  /** The way to it from the top of the tree; empty for the top itself. */
  readonly segments: readonly string[];
  readonly name: string;
  readonly entry: TreeEntry;
  /** A folder is visited twice: before what is in it and, then left, after. */
  readonly isLeft: boolean;
  withContent<T>(use: (content: FileReader, bytes: number) => Promise<T>): Promise<T>;
  linkTarget(): string;
  /** Whether what is in a folder may be removed: by its permissions, or because these are ours to change. */
  canBeEmptied(): boolean;
  /** For a folder that is left. */
  remove(): void;
}

/** Then others may run: what is done to a visited file may take long. */
const MS_A_TURN = 8;

interface Level {
  readonly openPath: OpenPath;
  readonly names: readonly string[];
  readonly visit: TreeVisit;
  next: number;
}

export interface VisitOptions {
  /** Folders that forbid it are made writable, so that what is in them can be removed. */
  readonly isRemoving?: boolean;
}

/** Throws ENOENT when there is nothing at the top; what vanishes further down is passed over. */
export async function* visitTree(
  parent: OpenPath,
  name: string,
  options: VisitOptions = {},
): AsyncGenerator<TreeVisit> {
  const levels: Level[] = [];
  const top = visitOf(parent, name, []);
  if (!top) throw systemError('ENOENT');
  try {
    yield top;
    if (top.entry.kind === 'folder') levels.push(await openLevel(parent, top, options));
    let turnBegan = performance.now();
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const child = level.names[level.next++];
      if (child === undefined) {
        levels.pop();
        level.openPath.close();
        yield { ...level.visit, isLeft: true };
        continue;
      }
      const visit = visitOf(level.openPath, child, [...level.visit.segments, child]);
      if (!visit) continue;
      yield visit;
      if (visit.entry.kind === 'folder') levels.push(await openLevel(level.openPath, visit, options));
      if (performance.now() - turnBegan < MS_A_TURN) continue;
      await nextTurn();
      turnBegan = performance.now();
    }
  } finally {
    for (const { openPath } of levels) openPath.close();
  }
}

function visitOf(parent: OpenPath, name: string, segments: readonly string[]): TreeVisit | undefined {
  const path = pathIn(parent, name);
  const entry = lookAtPath(path);
  if (!entry) {
    // A name that is no proper text cannot be asked for; passing it over would be leaving it out in silence.
    if (name.includes('\uFFFD')) throw systemError('EILSEQ');
    return undefined;
  }
  return {
    segments,
    name,
    entry,
    isLeft: false,
    withContent: (use) => withContent({ ...parent, filePath: path }, use),
    linkTarget: () => readlinkSync(path),
    canBeEmptied: () => isWritable(path) || entry.ownerId === process.geteuid?.(),
    remove: () => {
      parent.verify();
      if (entry.kind === 'folder') rmdirSync(path);
      else unlinkSync(path);
    },
  };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

async function openLevel(parent: OpenPath, visit: TreeVisit, { isRemoving }: VisitOptions): Promise<Level> {
  const openPath = enterFolder(parent, visit.name);
  try {
    const { mode } = visit.entry;
    if (isRemoving && (mode & 0o300) !== 0o300 && openPath.folderDescriptor !== null)
      fchmodSync(openPath.folderDescriptor, mode | 0o300);
    return { openPath, names: await namesIn(openPath), visit, next: 0 };
  } catch (error) {
    openPath.close();
    throw error;
  }
}

/** All of them first: what is removed while names are read may take others with it out of sight. */
async function namesIn(openPath: OpenPath): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of readEntries(openPath)) names.push(...batch.map(({ name }) => name));
  return names.sort();
}

async function withContent<T>(
  openPath: OpenPath,
  use: (content: FileReader, bytes: number) => Promise<T>,
): Promise<T> {
  const descriptor = openPlainFile(openPath);
  try {
    const stats = fstatSync(descriptor);
    openPath.verify();
    if (!stats.isFile()) throw special();
    return await use(createReader(descriptor, stats.size), stats.size);
  } finally {
    closeSync(descriptor);
  }
}
