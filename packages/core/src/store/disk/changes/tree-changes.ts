/**
 * A user's changes to the project tree on disk: one file per change, and a second one while the change is in progress.
 */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TreeChange, treeChangeSchema, treeStepSchema } from '@crewagent/protocol/file-journal';
import type * as z from '@crewagent/protocol/zod';
import { createFolders, syncFolder } from '../../../base/durable-files.ts';
import { mapLimit } from '../../../base/map-limit.ts';
import { sweepTempFiles } from '../../../base/staging.ts';
import type { TreeChanges } from '../../file-changes.ts';
import { isStoreId } from '../layout.ts';
import { readJson, writeStoreFile } from '../store-file.ts';
import { createSnapshots } from './tree-snapshot.ts';

const CHANGE = '.json';
const STEP = '.step.json';
const CONCURRENCY = 16;

export async function openTreeChanges(folder: string): Promise<TreeChanges> {
  await createFolders(folder);
  await sweepTempFiles(folder, { isDeep: false });
  const snapshots = createSnapshots(folder);
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
    ...snapshots,
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
      if (direction === 'do') await snapshots.dropSnapshot(change.id);
      await removeIfPresent(fileOf(change.id, STEP));
      await syncFolder(folder);
    },
    async forget(change) {
      await write({ ...change, isKept: false });
      await snapshots.dropSnapshot(change.id);
    },
    async drop(id) {
      await snapshots.dropSnapshot(id);
      await removeIfPresent(fileOf(id, CHANGE));
    },
  };
}

function removeIfPresent(file: string): Promise<void> {
  return rm(file, { force: true });
}
