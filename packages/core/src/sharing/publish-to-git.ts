/** Publishes to a git repository: the files of the package as a commit of a branch, with a tag of its version. */
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CrewError } from '../base/crew-error.ts';
import { readArchive } from '../bmad/archive/open-archive.ts';
import { createFindings } from '../bmad/findings/findings.ts';
import { listRefs, publishCommit } from './git.ts';
import { parseGitAddress } from './git-address.ts';
import { SIGNATURE_FILE } from './open-address.ts';
import type { Release } from './release.ts';
import type { GitOptions } from './run-git.ts';

export interface GitDestination {
  /** URL, with `#BRANCH` if it is not main. */
  readonly address: string;
  /** Empty. */
  readonly folder: string;
  readonly isDryRun: boolean;
}

export async function publishToGit(
  release: Release,
  { address, folder, isDryRun }: GitDestination,
  options: GitOptions,
): Promise<{ address: string; files: readonly string[] }> {
  const { url, ref: branch = 'main' } = parseGitAddress(address);
  const { name, version } = release.loaded.manifest;
  const tag = `v${version.replace(/\+.*$/, '')}`;
  const refs = await listRefs({ url, ref: undefined }, { ...options, cwd: folder });
  if (refs.has(`refs/tags/${tag}`))
    throw new CrewError(
      'TARGET_EXISTS',
      `${url} has the tag ${tag} already. A version is never replaced: increase version in bmad.json, or in the frontmatter of a method.`,
    );
  const files = await readFiles(release, folder);
  if (!isDryRun)
    await publishCommit(
      { url, branch, tag, isNew: !refs.has(`refs/heads/${branch}`), message: `${name} ${version}`, files },
      join(folder),
      options,
    );
  return { address: `git+${url}#${tag}`, files: [...files.keys()] };
}

/** The files of the archive, so that they pack to the same hash again. */
async function readFiles(
  { archive, signature }: Release,
  folder: string,
): Promise<ReadonlyMap<string, Buffer>> {
  const path = `${folder}.bmad`;
  await writeFile(path, archive, { flag: 'wx', mode: 0o600 });
  const handle = await open(path, 'r');
  try {
    const found = await readArchive(handle, path, createFindings());
    if (!found) throw new Error('the archive was valid before');
    const files = new Map<string, Buffer>();
    for (const file of [...found.paths].sort()) files.set(file, await found.read(file));
    if (signature) files.set(SIGNATURE_FILE, Buffer.from(`${JSON.stringify(signature)}\n`));
    return files;
  } finally {
    await handle.close();
  }
}
