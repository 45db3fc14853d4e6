/**
 * Gives a package to others: validates, packs and signs it, and sends it to a folder with an index, a git repository or a registry of
 * npm packages. A published version is never replaced.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CrewError } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';
import type { SharingDeps } from './open-address.ts';
import { publishToFolder } from './publish-to-folder.ts';
import { publishToGit } from './publish-to-git.ts';
import { publishToNpm, toNpmRelease } from './publish-to-npm.ts';
import { type Release, toRelease } from './release.ts';

export interface PublishRequest {
  /** A folder or an archive. */
  readonly source: string;
  readonly to: string;
  /** PKCS #8; undefined for no signature. */
  readonly privateKey: string | undefined;
  readonly isDryRun: boolean;
}

export interface Published {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Where it is, as an address that can be added. */
  readonly address: string;
  /** Files that are written or sent. */
  readonly files: readonly string[];
  readonly isSigned: boolean;
}

export async function publishPackage(request: PublishRequest, deps: SharingDeps): Promise<Published> {
  const { source, to, privateKey, isDryRun } = request;
  const scratch = await withDiskErrors('Could not publish', () => deps.store.packages.makeScratch());
  try {
    const release = await toRelease(source, privateKey, scratch.path, deps.context);
    const { address, files } = await send(release, { to, isDryRun, scratch: scratch.path }, deps);
    const { name, version } = release.loaded.manifest;
    const isSigned = release.signature !== undefined;
    return { name, version, sha256: release.hash, bytes: release.archive.length, address, files, isSigned };
  } finally {
    await scratch.remove();
  }
}

interface Destination {
  readonly to: string;
  readonly isDryRun: boolean;
  readonly scratch: string;
}

async function send(
  release: Release,
  { to, isDryRun, scratch }: Destination,
  deps: SharingDeps,
): Promise<Pick<Published, 'address' | 'files'>> {
  if (to.startsWith('npm:'))
    return publishToNpm(toNpmRelease(release, to.slice('npm:'.length)), isDryRun, deps);
  if (to.startsWith('git+')) {
    const folder = join(scratch, 'repository');
    await mkdir(folder);
    return publishToGit(release, { address: to.slice('git+'.length), folder, isDryRun }, deps);
  }
  if (to.trim() === '' || /^[a-z][\w+.-]+:\/\//i.test(to))
    throw new CrewError(
      'USAGE',
      'Give a folder, git+URL or npm:NAME. To publish on a website, publish to a folder and upload it.',
    );
  return publishToFolder(release, to, isDryRun);
}
