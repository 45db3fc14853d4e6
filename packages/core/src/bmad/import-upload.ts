/**
 * Installs an archive that comes in pieces: kept in a staging folder while it is looked at, gone afterwards.
 */
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../base/durable-files.ts';
import { withDiskErrors } from '../base/errno.ts';
import { stagingName } from '../base/staging.ts';
import type { StoreLayout } from '../store/layout.ts';
import { makePrivateFolder } from '../store/store-file.ts';
import { type ImportResult, importPackage } from './import-package.ts';
import type { ValidationContext } from './validate-package.ts';

/** `name` is what people call it, and nothing more. */
export async function importUpload(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  { store, context }: { readonly store: StoreLayout; readonly context: ValidationContext },
): Promise<ImportResult> {
  const staging = join(store.packages, stagingName('incoming'));
  const archive = join(staging, 'package.bmad');
  try {
    await withDiskErrors(`Could not receive "${name}"`, async () => {
      await makePrivateFolder(store.packages);
      await mkdir(staging, { mode: 0o700 });
      const handle = await open(archive, 'wx', 0o600);
      try {
        for await (const piece of pieces) await handle.write(piece);
      } finally {
        await handle.close();
      }
    });
    return await importPackage(archive, store, context, name);
  } finally {
    await removeTree(staging);
  }
}
