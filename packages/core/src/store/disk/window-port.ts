/**
 * The port that a window of our own was opened at last. A browser keeps the place, the layout and the drafts of a page for
 * each port, so the next server takes the same one if it can.
 */
import * as z from '@crewagent/protocol/zod';
import { createFolders } from '../../base/durable-files.ts';
import { withDiskErrors } from '../../base/errno.ts';
import type { StorePaths } from './layout.ts';
import { readStoreFile, writeStoreFile } from './store-file.ts';

const windowRecordSchema = z.object({ schemaVersion: z.literal(1), port: z.int().min(1024).max(65_535) });

/** Undefined where there was no window, or the file says nothing that can be used. */
export async function readWindowPort(store: StorePaths): Promise<number | undefined> {
  const value = await readStoreFile(store.windowRecord).catch(() => undefined);
  return windowRecordSchema.safeParse(value).data?.port;
}

export async function writeWindowPort(store: StorePaths, port: number): Promise<void> {
  await withDiskErrors('Could not write the port of the window', async () => {
    await createFolders(store.root);
    await writeStoreFile(store.windowRecord, { schemaVersion: 1, port });
  });
}
