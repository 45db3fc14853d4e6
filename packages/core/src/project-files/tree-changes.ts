/**
 * The folder with what a person made, moved and removed: a file for each change, and one more beside it while the change is
 * being made or undone. Knows nothing of what they mean.
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
import { isStoreId } from '../store/disk/layout.ts';
import { writeStoreFile } from '../store/disk/store-file.ts';
import { readJson } from './read-json.ts';
import { dropSnapshot } from './tree-snapshot.ts';

export interface TreeChanges {
  /** Where the contents of what was removed are kept. */
  readonly folder: string;
  /** In the order they were made. What cannot be read is left out. */
  list(): Promise<TreeChange[]>;
  ids(): Promise<string[]>;
  read(id: string): Promise<TreeChange | undefined>;
  /** What was under way when a process ended. */
  pending(): Promise<TreeStep[]>;
  /** Safe when this resolves: what is done next can be decided by whoever comes after us. */
  begin(step: TreeStep): Promise<void>;
  /** The step was made. */
  finish(step: TreeStep): Promise<TreeChange>;
  /** The step was not made. */
  abandon(step: TreeStep): Promise<void>;
  /** The content that was removed is no longer kept. */
  forget(change: Removed): Promise<void>;
  drop(id: string): Promise<void>;
}

const CHANGE = '.json';
const STEP = '.step.json';
const AT_ONCE = 16;

export async function openTreeChanges(folder: string): Promise<TreeChanges> {
  await createFolders(folder);
  await sweepTempFiles(folder, { isDeep: false });
  const fileOf = (id: string, ending: string): string => join(folder, `${id}${ending}`);

  const idsOf = async (ending: string): Promise<string[]> => {
    const names = (await readdir(folder)).filter((name) => name.endsWith(ending)).sort();
    return names.map((name) => name.slice(0, -ending.length)).filter(isStoreId);
  };
  const readAll = async <T>(ending: string, schema: z.ZodType<T>): Promise<T[]> => {
    const ids = await idsOf(ending);
    const found = await mapLimit(ids, AT_ONCE, (id) => readJson(fileOf(id, ending), schema));
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
      // A step that came back after a power cut would be decided by what is there by then.
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
