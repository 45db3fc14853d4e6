/**
 * The port to the recorded changes of a person to the files of a project: contents in a journal, changes of the tree with
 * snapshots of removed entries.
 */
import type { Removed, TreeChange, TreeStep } from '@crewagent/protocol/file-journal';
import type { MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import type { Journal, JournalOptions } from './journal.ts';

export interface FileChangeStore {
  /** Whether a change was ever recorded. */
  exists(): Promise<boolean>;
  /** Runs `work` while no other process has access. */
  use<T>(work: (records: FileRecords) => Promise<T>): Promise<T>;
}

/** Valid while `work` runs. */
export interface FileRecords {
  readonly changes: TreeChanges;
  /** Opened again only if another process wrote to it. */
  journal(options: JournalOptions): Promise<Journal>;
  /** Removes the oldest content changes above the limits. */
  pruneJournal(): Promise<void>;
}

/** Does not interpret the changes. */
export interface TreeChanges {
  /** In chronological order, without unreadable records. */
  list(): Promise<TreeChange[]>;
  ids(): Promise<string[]>;
  read(id: string): Promise<TreeChange | undefined>;
  /** Steps that were in progress when a process ended. */
  pending(): Promise<TreeStep[]>;
  /** Durable when this resolves, so that the step can be settled after a crash. */
  begin(step: TreeStep): Promise<void>;
  /** Marks the step as done. */
  finish(step: TreeStep): Promise<TreeChange>;
  /** Marks the step as not done. */
  abandon(step: TreeStep): Promise<void>;
  /** Drops the snapshot of a removal. */
  forget(change: Removed): Promise<void>;
  drop(id: string): Promise<void>;

  /** Durable when this resolves. */
  saveSnapshot(id: string, tree: MountedTree, path: MountPath): Promise<void>;
  /** False if a snapshot was not saved completely. */
  hasSnapshot(id: string): Promise<boolean>;
  /** Recreates the tree at a path that does not exist. Throws DamagedSnapshot if that is no longer possible. */
  restoreSnapshot(id: string, tree: MountedTree, path: MountPath): Promise<void>;
  /** Whether the tree at a path equals the snapshot, byte for byte. */
  isSameAsSnapshot(id: string, tree: MountedTree, path: MountPath): Promise<boolean>;
  dropSnapshot(id: string): Promise<void>;
}

/** Thrown if a snapshot is incomplete or damaged. */
export class DamagedSnapshot extends Error {}
