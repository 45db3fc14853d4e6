/**
 * Stores a user's changes to the project tree: one file per change, and a second one while the change is in progress.
 * Does not interpret them.
 */
import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Removed,
  type TreeChange,
  type TreeStep,
  treeChangeSchema,
  treeStepSchema,
} from '@crewagent/protocol/file-journal';
import type * as z from '@crewagent/protocol/zod';
import { createFolders, syncFolder } from '../base/durable-files.ts';
import { errnoOf } from '../base/errno.ts';
import { mapLimit } from '../base/map-limit.ts';
import { sweepTempFiles } from '../base/staging.ts';
import { writeStoreFile } from '../store/disk/store-file.ts';
import { isStoreId } from '../store/store-id.ts';
import { readJson } from './read-json.ts';
import { dropSnapshot } from './tree-snapshot.ts';

export interface TreeChanges {
  /** Folder of the snapshots of removed entries. */
  readonly folder: string;
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
}

const CHANGE = '.json';
const STEP = '.step.json';
const CONCURRENCY = 16;

export async function openTreeChanges(folder: string): Promise<TreeChanges> {
  await createFolders(folder);
  await sweepTempFiles(folder, { isDeep: false });
  const fileOf = (id: string, ending: string): string => join(folder, `${id}${ending}`);

  const idsOf = async (ending: string): Promise<string[]> => {
    const names = (await readdir(folder)).filter((name) => name.endsWith(ending)).sort();
    return names.map((name) => name.slice(0, -ending.length)).filter(isStoreId);
  };
  const readAll = async <T>(ending: string, schema: z.ZodMiniType<T>): Promise<T[]> => {
    const ids = await idsOf(ending);
    const found = await mapLimit(ids, CONCURRENCY, (id) => readJson(fileOf(id, ending), schema));
    return found.filter((value) => value !== undefined);
  };
  const write = (change: TreeChange): Promise<void> =>
    writeStoreFile(fileOf(change.id, CHANGE), treeChangeSchema.parse(change));

  return {
    folder,
    ids: () => idsOf(CHANGE),
    list: () => readAll(CHANGE, treeChangeSchema),
    read: async (id) => (isStoreId(id) ? readJson(fileOf(id, CHANGE), treeChangeSchema) : undefined),
    pending: () => readAll(STEP, treeStepSchema),
    begin: (step) => writeStoreFile(fileOf(step.change.id, STEP), treeStepSchema.parse(step)),
    async finish({ change }) {
      await write(change);
      await removeIfPresent(fileOf(change.id, STEP));
      // A step file that reappeared after a power cut would be settled against a later state.
      await syncFolder(folder);
      return change;
    },
    async abandon({ change, direction }) {
      if (direction === 'do') await dropSnapshot(folder, change.id);
      await removeIfPresent(fileOf(change.id, STEP));
      await syncFolder(folder);
    },
    async forget(change) {
      await write({ ...change, isKept: false });
      await dropSnapshot(folder, change.id);
    },
    async drop(id) {
      await dropSnapshot(folder, id);
      await removeIfPresent(fileOf(id, CHANGE));
    },
  };
}

async function removeIfPresent(file: string): Promise<void> {
  try {
    await unlink(file);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
