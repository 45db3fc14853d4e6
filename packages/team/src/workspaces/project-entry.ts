/** One path of a project's tree: a file, a link or an empty folder. Of permissions only the executable bit is part of a project. */
import type { WorkspaceEntry } from '../works/journal-storage.ts';

export interface ProjectEntry {
  readonly kind: 'file' | 'link' | 'folder';
  /** Of the content of a file, or of the target of a link. */
  readonly sha256: string;
  readonly bytes: number;
  readonly isExecutable?: true;
}

export const EMPTY_FOLDER: ProjectEntry = {
  kind: 'folder',
  /** Of nothing. */
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  bytes: 0,
};

/** Paths that differ from an earlier tree; undefined for a path that was deleted. */
export type Changes = ReadonlyMap<string, ProjectEntry | undefined>;

/** `known`: the entry before, for what the change says nothing about. */
export function toProjectEntry(
  { kind, sha256, bytes, mode }: WorkspaceEntry,
  known: ProjectEntry | undefined,
): ProjectEntry {
  if (kind === 'folder') return EMPTY_FOLDER;
  const isExecutable = mode === undefined ? known?.isExecutable === true : (mode & 0o100) !== 0;
  return { kind, sha256, bytes, ...(isExecutable && kind === 'file' ? { isExecutable } : {}) };
}

export function isSameEntry(one: ProjectEntry | undefined, other: ProjectEntry | undefined): boolean {
  if (!one || !other) return one === other;
  return isSameContent(one, other) && one.isExecutable === other.isExecutable;
}

export function isSameContent(one: ProjectEntry, other: ProjectEntry): boolean {
  return one.kind === other.kind && one.sha256 === other.sha256;
}

export function formatEntry(entry: ProjectEntry | undefined): string | null {
  return entry ? JSON.stringify(entry) : null;
}

/** Of a row that this program wrote. */
export function parseEntry(text: string | null): ProjectEntry | undefined {
  return text === null ? undefined : (JSON.parse(text) as ProjectEntry);
}
