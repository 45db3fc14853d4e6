/**
 * Stores an uploaded archive in a staging folder while it is used, and deletes it afterwards.
 */
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolders } from '../base/durable-files.ts';
import { withDiskErrors } from '../base/errno.ts';
import { removeTree } from '../base/remove-tree.ts';
import { stagingName } from '../base/staging.ts';
import type { StorePaths } from '../store/disk/layout.ts';

export interface Upload {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The name shown to people; never used as a path. */
  readonly name: string;
}

/** Calls `use` with the complete archive; deletes it when `use` settles. */
export async function withUpload<T>(
  { chunks, name }: Upload,
  store: StorePaths,
  use: (archive: string) => Promise<T>,
): Promise<T> {
  const staging = join(store.packages, stagingName('incoming'));
  const archive = join(staging, 'package.bmad');
  try {
    await withDiskErrors(`Could not receive "${name}"`, async () => {
      await createFolders(store.packages);
      await mkdir(staging, { mode: 0o700 });
      const handle = await open(archive, 'wx', 0o600);
      try {
        for await (const chunk of chunks) await handle.writeFile(chunk);
      } finally {
        await handle.close();
      }
    });
    return await use(archive);
  } finally {
    await removeTree(staging);
  }
}
