/** Files of the programs that show the page: the app window of a browser, and the desktop app. */
import * as z from '@crewagent/protocol/zod';
import { createFolders } from '../../../base/durable-files.ts';
import { withDiskErrors } from '../../../base/errno.ts';
import { createStoreLayout, type StorePaths } from '../layout.ts';
import { readStoreFile, writeStoreFile } from '../store-file.ts';

/**
 * The last port of the app window. A browser stores the location, layout and drafts of a page per port, so the next server
 * uses the same one if it is free.
 */
const windowRecordSchema = z.object({
  schemaVersion: z.literal(1),
  port: z.int().check(z.minimum(1024), z.maximum(65_535)),
});

/** Undefined if there was no window, or the file is invalid. */
export async function readWindowPort(root: string): Promise<number | undefined> {
  const store = createStoreLayout(root);
  const value = await readStoreFile(store.windowRecord).catch(() => undefined);
  return windowRecordSchema.safeParse(value).data?.port;
}

export async function writeWindowPort(root: string, port: number): Promise<void> {
  const store = createStoreLayout(root);
  await withDiskErrors('Could not write the port of the window', async () => {
    await createFolders(store.root);
    await writeStoreFile(store.windowRecord, { schemaVersion: 1, port });
  });
}

type AppFiles = Pick<StorePaths, 'windowProfile' | 'desktopProfile' | 'desktopWindow'>;

export function appFilesOf(root: string): AppFiles {
  const { windowProfile, desktopProfile, desktopWindow } = createStoreLayout(root);
  return { windowProfile, desktopProfile, desktopWindow };
}
