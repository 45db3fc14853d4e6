/**
 * Who signed an archive with Sigstore: the bundle is a file beside it, `NAME.bmad.sigstore.json`, or comes from a registry. What
 * verifies it is loaded only if there is one.
 */
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { ifPresent, withDiskErrors } from '../../base/errno.ts';
import type { PackageStore } from '../../store/package-store.ts';
import { LIMITS } from '../archive/entry-rules.ts';
import { readSharing } from './signers.ts';

export const BUNDLE_ENDING = '.sigstore.json';
export const MAX_BUNDLE_BYTES = 512 * 1024;

/** Undefined without a bundle. Throws SIGSTORE_INVALID for one that does not prove who signed the bytes of the archive. */
export async function readIdentity(
  path: string,
  archive: FileHandle,
  packages: Pick<PackageStore, 'sharing'>,
): Promise<string | undefined> {
  const bundle = await withDiskErrors('Could not read the Sigstore bundle', () =>
    readBundle(`${path}${BUNDLE_ENDING}`),
  );
  if (bundle === undefined) return undefined;
  return proveIdentity(bundle, await readStart(archive, LIMITS.archiveBytes), packages);
}

/** Who signed these bytes. Throws SIGSTORE_INVALID. */
export async function proveIdentity(
  bundle: string,
  bytes: Buffer,
  packages: Pick<PackageStore, 'sharing'>,
): Promise<string> {
  const { verifyBundle } = await import('../../sigstore/verify-bundle.ts');
  const { sigstoreRoot } = await readSharing(packages.sharing);
  return verifyBundle(bundle, bytes, sigstoreRoot);
}

/** A longer bundle is cut, and so is no JSON. */
async function readBundle(file: string): Promise<string | undefined> {
  const handle = await ifPresent(open(file, 'r'));
  try {
    return handle && (await readStart(handle, MAX_BUNDLE_BYTES)).toString('utf8');
  } finally {
    await handle?.close();
  }
}

async function readStart(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const { size } = await handle.stat();
  const bytes = Buffer.alloc(Math.min(size, maxBytes));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
