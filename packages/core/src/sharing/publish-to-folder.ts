/** Publishes to a folder that can be served as it is: the archive, and an index that lists it. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { About } from '@crewagent/protocol/about';
import type { IndexedPackage, PackageIndex } from '@crewagent/protocol/package-index';
import { CrewError } from '../base/crew-error.ts';
import { createFile, replaceFile } from '../base/durable-files.ts';
import { errnoOf, ifPresent, withDiskErrors } from '../base/errno.ts';
import { makeFolders } from '../base/make-folders.ts';
import { INDEX_NAME, newestVersion, parseIndex } from './package-indexes.ts';
import type { Release } from './release.ts';

export async function publishToFolder(
  release: Release,
  to: string,
  isDryRun: boolean,
): Promise<{ address: string; files: readonly string[] }> {
  const folder = resolve(to);
  const [file, indexFile] = [join(folder, release.fileName), join(folder, INDEX_NAME)];
  return withDiskErrors(`Could not publish to "${to}"`, async () => {
    const text = await ifPresent(readFile(indexFile, 'utf8'));
    const index =
      text === undefined ? { schemaVersion: 1 as const, packages: [] } : parseIndex(text, indexFile);
    requireNew(release, index, to);
    const next = withRelease(index, release);
    if (!isDryRun) {
      makeFolders(folder);
      await createArchive(file, release, to);
      await replaceFile(indexFile, `${JSON.stringify(next, null, 2)}\n`, 0o644);
    }
    return { address: file, files: [file, indexFile] };
  });
}

/** The same file without an entry in the index is that of an attempt that was interrupted. */
async function createArchive(file: string, release: Release, to: string): Promise<void> {
  try {
    await createFile(file, release.archive, 0o644);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    if (!release.archive.equals(await readFile(file))) throw alreadyThere(release, to);
  }
}

function requireNew(release: Release, { packages }: PackageIndex, to: string): void {
  const { name, version } = release.loaded.manifest;
  const listed = packages.find((one) => one.name === name)?.versions ?? [];
  if (listed.some((one) => one.version === version)) throw alreadyThere(release, to);
}

function alreadyThere({ loaded: { manifest } }: Release, to: string): CrewError {
  return new CrewError(
    'TARGET_EXISTS',
    `${manifest.name} ${manifest.version} is published in "${to}" already. A version is never replaced: increase version in bmad.json, or in the frontmatter of a method.`,
  );
}

/** Without what is for the editor of the author. */
function toListed(about: About | undefined): About | undefined {
  return about && { ...about, $schema: undefined };
}

function withRelease(index: PackageIndex, release: Release): PackageIndex {
  const { loaded, hash: sha256, signature, fileName } = release;
  const { name, version, description } = loaded.manifest;
  const earlier = index.packages.find((one) => one.name === name);
  const added = {
    version,
    url: encodeURIComponent(fileName),
    sha256,
    signature,
    publishedAt: new Date().toISOString(),
  };
  const versions = [added, ...(earlier?.versions ?? [])];
  // An older version that is published later does not describe the package.
  const isNewest = newestVersion(versions) === added;
  const described = isNewest ? { description, about: toListed(loaded.about) } : earlier;
  const entry: IndexedPackage = { ...earlier, ...described, name, versions };
  return {
    ...index,
    packages: [...index.packages.filter((one) => one.name !== name), entry].toSorted((one, other) =>
      one.name < other.name ? -1 : 1,
    ),
  };
}
