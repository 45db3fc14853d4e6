/**
 * An uploaded archive, stored in a private folder while it is installed, inspected or converted.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { withDiskErrors } from '../base/errno.ts';
import type { ScratchFolder } from '../store/package-store.ts';
import type { UserStore } from '../store/store.ts';
import type { ValidationContext } from './check/validate-package.ts';
import { type ImportResult, importPackage } from './import-package.ts';
import { type Inspection, inspectPackage } from './load-package.ts';

export interface Upload {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The name shown to people; never used as a path. */
  readonly name: string;
}

/** Calls `use` with the complete archive; deletes it when `use` settles. */
export async function withUpload<T>(
  { chunks, name }: Upload,
  { packages }: Pick<UserStore, 'packages'>,
  use: (archive: string) => Promise<T>,
): Promise<T> {
  const action = `Could not receive "${name}"`;
  const scratch = await withDiskErrors(action, () => packages.makeScratch());
  try {
    return await use(await withDiskErrors(action, () => receive(chunks, scratch)));
  } finally {
    await scratch.remove();
  }
}

async function receive(chunks: AsyncIterable<Uint8Array>, { path }: ScratchFolder): Promise<string> {
  const archive = join(path, 'package.bmad');
  const handle = await open(archive, 'wx', 0o600);
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk);
  } finally {
    await handle.close();
  }
  return archive;
}

interface UploadDeps {
  readonly store: Pick<UserStore, 'packages'>;
  readonly context: ValidationContext;
}

export async function importUpload(upload: Upload, { store, context }: UploadDeps): Promise<ImportResult> {
  return withUpload(upload, store, (archive) =>
    importPackage(archive, store, context, { shown: upload.name }),
  );
}

/** Validates the upload without installing it. */
export async function inspectUpload(upload: Upload, { store, context }: UploadDeps): Promise<Inspection> {
  return withUpload(upload, store, (archive) => inspectPackage(archive, context, { shown: upload.name }));
}
