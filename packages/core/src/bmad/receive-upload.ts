/**
 * An uploaded archive or method, stored in a private folder while it is installed, inspected or converted.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { withDiskErrors } from '../base/errno.ts';
import { isMethodFile, METHOD_FILE } from '../base/method-file.ts';
import type { ScratchFolder } from '../store/package-store.ts';
import type { UserStore } from '../store/store.ts';

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
    return await use(await withDiskErrors(action, () => receive(chunks, scratch, name)));
  } finally {
    await scratch.remove();
  }
}

async function receive(
  chunks: AsyncIterable<Uint8Array>,
  { path }: ScratchFolder,
  name: string,
): Promise<string> {
  const archive = join(path, isMethodFile(name) ? METHOD_FILE : 'package.bmad');
  const handle = await open(archive, 'wx', 0o600);
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk);
  } finally {
    await handle.close();
  }
  return archive;
}
