/**
 * Opens a run in one file: all of it is verified, in a private copy, before anything of it is shown. Nothing is stored.
 */
import { constants } from 'node:fs';
import { copyFile, type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ShownBundle } from '@crewagent/protocol/api/bundles';
import { writeAll } from '../base/durable-files.ts';
import { withDiskErrors } from '../base/errno.ts';
import type { ScratchFolder } from '../store/package-store.ts';
import { refused } from '../transfer/unpack-works.ts';
import { decryptTo, isEncrypted } from './envelope.ts';
import { LIMITS } from './limits.ts';
import { showBundle } from './show-bundle.ts';
import { type OpenDeps, type VerifiedBundle, verifyBundle } from './verify-bundle.ts';

export interface OpenedBundle extends VerifiedBundle {
  readonly shown: ShownBundle;
  /** The decrypted copy. */
  readonly path: string;
  /** Approvals for later calls that hold in its Works. */
  readonly grants: number;
  close(): Promise<void>;
}

/** Throws TRANSFER_REFUSED. `askPassphrase`: called for an encrypted file. */
export async function openBundle(
  file: string,
  askPassphrase: () => Promise<string>,
  deps: OpenDeps,
): Promise<OpenedBundle> {
  const doing = `Could not open "${file}"`;
  const scratch = await withDiskErrors(doing, () => deps.store.packages.makeScratch());
  let handle: FileHandle | undefined;
  const close = async (): Promise<void> => {
    await handle?.close();
    await scratch.remove();
  };
  try {
    const own = await withDiskErrors(doing, () => makePlainCopy(file, scratch, askPassphrase));
    handle = await open(own.path, constants.O_RDONLY);
    const verified = await verifyBundle(handle);
    const { shown, grants } = await showBundle(verified, own.isEncrypted, join(scratch.path, 'shown'), deps);
    return { ...verified, path: own.path, shown, grants, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Nobody else changes the copy while it is looked at. */
async function makePlainCopy(
  file: string,
  { path: folder }: ScratchFolder,
  askPassphrase: () => Promise<string>,
) {
  const path = join(folder, 'run.crewrun');
  // A pipe would be waited for.
  const source = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await source.stat();
    if (!stats.isFile()) throw refused('this is not a file');
    if (stats.size > LIMITS.fileBytes) throw refused('the file is larger than a run in one file can be');
    if (!(await isEncrypted(source))) {
      await requireZip(source);
      await copyFile(file, path, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      return { path, isEncrypted: false };
    }
    const passphrase = await askPassphrase();
    const target = await open(path, 'wx', 0o600);
    try {
      await decryptTo(source, passphrase, (chunk) => writeAll(target.fd, chunk));
    } finally {
      await target.close();
    }
    return { path, isEncrypted: true };
  } finally {
    await source.close();
  }
}

async function requireZip(source: FileHandle): Promise<void> {
  const { buffer, bytesRead } = await source.read(Buffer.alloc(4), 0, 4, 0);
  if (bytesRead < 4 || buffer.readUInt32LE(0) !== 0x04034b50)
    throw refused('this is not a .crewrun file, or its first bytes were changed');
}
