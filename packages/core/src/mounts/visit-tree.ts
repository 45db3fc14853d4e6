/**
 * Traverses a file, a link or a folder with its content. Folders are held open on the way down and links are not
 * followed, so an entry swapped meanwhile cannot lead elsewhere.
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
import { ifSystemAllows, systemError } from '../base/errno.ts';
import { enterFolder, type OpenPath, pathIn } from './folder-walk.ts';
import {
  createReader,
  type FileReader,
  nextTurn,
  openRegularFile,
  readEntries,
  specialFileError,
} from './open-path.ts';
import { statEntry, type TreeEntry } from './tree-entry.ts';

/** One entry of a tree. Valid until the next one is requested. */
export interface TreeVisit {
  /** Path from the top of the tree; empty for the top itself. */
  readonly segments: readonly string[];
  readonly name: string;
  readonly entry: TreeEntry;
  /** A folder is visited twice: before its content and, with `isLeaving`, after it. */
  readonly isLeaving: boolean;
  withContent<T>(use: (content: FileReader, bytes: number) => Promise<T>): Promise<T>;
  linkTarget(): string;
  /** Whether the content of a folder may be removed: by its permissions, or because the user may change them. */
  canBeEmptied(): boolean;
  /** A folder must be removed when `isLeaving`. */
  remove(): void;
}

/** Other tasks may run after this time; processing a visited file may take long. */
const TURN_MS = 8;

interface Level {
  readonly openPath: OpenPath;
  readonly names: readonly string[];
  readonly visit: TreeVisit;
  next: number;
}

export interface VisitOptions {
  /** Makes read-only folders writable, so that their content can be removed. */
  readonly isRemoving?: boolean;
}

/** Throws ENOENT if the top does not exist; entries below that vanish are skipped. */
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
    let turnStart = performance.now();
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const child = level.names[level.next++];
      if (child === undefined) {
        levels.pop();
        level.openPath.close();
        yield { ...level.visit, isLeaving: true };
        continue;
      }
      const visit = visitOf(level.openPath, child, [...level.visit.segments, child]);
      if (!visit) continue;
      yield visit;
      if (visit.entry.kind === 'folder') levels.push(await openLevel(level.openPath, visit, options));
      if (performance.now() - turnStart < TURN_MS) continue;
      await nextTurn();
      turnStart = performance.now();
    }
  } finally {
    for (const { openPath } of levels) openPath.close();
  }
}

function visitOf(parent: OpenPath, name: string, segments: readonly string[]): TreeVisit | undefined {
  const path = pathIn(parent, name);
  const entry = statEntry(path);
  if (!entry) {
    // A name with invalid encoding cannot be opened; skipping it would omit it silently.
    if (name.includes('\uFFFD')) throw systemError('EILSEQ');
    return undefined;
  }
  return {
    segments,
    name,
    entry,
    isLeaving: false,
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
  return (
    ifSystemAllows(() => {
      accessSync(folder, constants.W_OK | constants.X_OK);
      return true;
    }) ?? false
  );
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

/** Reads all names first: removing entries during the read may hide others. */
async function namesIn(openPath: OpenPath): Promise<string[]> {
  const names: string[] = [];
  for await (const batch of readEntries(openPath)) names.push(...batch.map(({ name }) => name));
  return names.sort();
}

async function withContent<T>(
  openPath: OpenPath,
  use: (content: FileReader, bytes: number) => Promise<T>,
): Promise<T> {
  const descriptor = openRegularFile(openPath);
  try {
    const stats = fstatSync(descriptor);
    openPath.verify();
    if (!stats.isFile()) throw specialFileError();
    return await use(createReader(descriptor, stats.size), stats.size);
  } finally {
    closeSync(descriptor);
  }
}
