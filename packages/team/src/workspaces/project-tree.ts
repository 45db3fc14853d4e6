/**
 * The paths of a project at one version, and which paths it can have: every file system and every tool must be able to hold all of them at
 * once, so that no two differ only in case or Unicode form, and nothing is below a file.
 */
import { CrewError } from '@crewagent/core';
import { foldName, segmentDanger } from '@crewagent/core/store';
import type { Changes, ProjectEntry } from './project-entry.ts';

export interface ProjectLimits {
  readonly files: number;
  /** Of all files together. */
  readonly bytes: number;
  readonly fileBytes: number;
}

export const PROJECT_LIMITS: ProjectLimits = {
  files: 100_000,
  bytes: 8 * 1024 ** 3,
  fileBytes: 512 * 1_048_576,
};

/** In bytes, of the path in the project; leaves room for the folder of the project. */
const MAX_PATH = 1024;

/** Why a project cannot have a path, to complete "the path …"; undefined if it can. */
export function pathDanger(path: string): string | undefined {
  if (path === '' || path.startsWith('/')) return 'does not lead into the project';
  if (Buffer.byteLength(path) > MAX_PATH) return `is longer than ${MAX_PATH} bytes`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  if (/[\0-\x1f\x7f\\]|\p{Surrogate}/u.test(path)) return 'has a character that not every system supports';
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.' || segment === '..') return 'does not lead into the project';
    const danger = segmentDanger(segment);
    if (danger !== undefined) return danger;
  }
  return isGitData(path) ? 'is part of the data of git' : undefined;
}

/** Throws USAGE. */
export function requirePaths(changes: Changes): void {
  for (const [path, entry] of changes) {
    const danger = entry && pathDanger(path);
    if (danger !== undefined) throw refusedPath(path, danger);
  }
}

/** Of a repository in the project: never part of a version, as it decides what git executes. */
export function isGitData(path: string): boolean {
  return path.split('/').some((segment) => foldName(segment) === '.git');
}

export type Tree = ReadonlyMap<string, ProjectEntry>;

/** A tree that is changed path by path; refuses paths that cannot be beside those it has. */
export function editTree(tree: Tree) {
  const entries = new Map(tree);
  /** By folded path: how often each spelling of a file or folder occurs, folders by what is in them. */
  const spellings = new Map<string, Map<string, number>>();
  const count = (path: string, by: 1 | -1): void => {
    for (let name = path; name !== ''; name = parentOf(name)) {
      const folded = foldName(name);
      const uses = spellings.get(folded) ?? new Map<string, number>();
      const left = (uses.get(name) ?? 0) + by;
      if (left > 0) uses.set(name, left);
      else uses.delete(name);
      if (uses.size > 0) spellings.set(folded, uses);
      else spellings.delete(folded);
    }
  };
  for (const path of entries.keys()) count(path, 1);

  /** A path of the tree that is in the way of another one. */
  const findClash = (path: string, entry: ProjectEntry): string | undefined => {
    for (let name = path; name !== ''; name = parentOf(name)) {
      for (const spelling of spellings.get(foldName(name))?.keys() ?? [])
        if (spelling !== name) return spelling;
      const above = name === path ? undefined : entries.get(name);
      if (above && above.kind !== 'folder') return name;
    }
    const uses = spellings.get(foldName(path))?.get(path) ?? 0;
    // Something is in a folder of this name.
    if (entry.kind !== 'folder' && uses > (entries.has(path) ? 1 : 0)) return path;
    return undefined;
  };
  return {
    entries: entries as Tree,
    findClash,
    put(path: string, entry: ProjectEntry): void {
      if (!entries.has(path)) count(path, 1);
      entries.set(path, entry);
    },
    remove(path: string): void {
      if (entries.delete(path)) count(path, -1);
    },
  };
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function applyChanges(tree: Tree, changes: Changes): Tree {
  const next = new Map(tree);
  for (const [path, entry] of changes)
    if (entry) next.set(path, entry);
    else next.delete(path);
  return next;
}

/** Throws FILE_TOO_LARGE or USAGE. */
export function requireLimits(tree: Tree, limits: ProjectLimits): void {
  let bytes = 0;
  for (const [path, entry] of tree) {
    bytes += entry.bytes;
    if (entry.bytes > limits.fileBytes) throw fileTooLarge(path, limits);
  }
  if (tree.size > limits.files) {
    const message = `A project has at most ${limits.files.toLocaleString('en')} files; this one would have ${tree.size.toLocaleString('en')}. Leave out folders that can be made again.`;
    throw new CrewError('USAGE', message);
  }
  if (bytes > limits.bytes) {
    const message = `The files of a project have at most ${toMiB(limits.bytes)} MiB together. Leave out large files that can be made again.`;
    throw new CrewError('FILE_TOO_LARGE', message);
  }
}

export function fileTooLarge(path: string, { fileBytes }: ProjectLimits): CrewError {
  return new CrewError(
    'FILE_TOO_LARGE',
    `"${path}" is larger than ${toMiB(fileBytes)} MiB, the most a file of a project can have.`,
  );
}

function toMiB(bytes: number): string {
  return Math.round(bytes / 1_048_576).toLocaleString('en');
}

export function refusedPath(path: string, danger: string): CrewError {
  return new CrewError(
    'USAGE',
    `A project cannot have the path "${path.slice(0, 200)}": it ${danger}. Rename it.`,
  );
}
