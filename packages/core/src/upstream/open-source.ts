/** Opens a source to import where it is: a folder or zip of this machine, or a git repository, which is fetched for the time of its use. */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PackagePlace, SourcePlace } from '@crewagent/protocol/package-origin';
import { CrewError } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';
import { fetchRepository } from '../sharing/git.ts';
import { type GitAddress, nameOfRepository } from '../sharing/git-address.ts';
import type { UserStore } from '../store/store.ts';

export interface OpenSource {
  readonly path: string;
  /** Name of the source in reports; undefined for that of the path. */
  readonly name: string | undefined;
  readonly place: SourcePlace;
}

export interface SourceDeps {
  readonly store: Pick<UserStore, 'packages'>;
  readonly signal?: AbortSignal | undefined;
}

/** `source`: a path, or the address of a repository. What was fetched is deleted afterwards, at the latest by the next process. */
export async function withSource<T>(
  source: string | GitAddress,
  { store, signal }: SourceDeps,
  use: (opened: OpenSource) => Promise<T>,
): Promise<T> {
  if (typeof source === 'string')
    return use({ path: source, name: undefined, place: { kind: 'path', path: resolve(source) } });
  const scratch = await withDiskErrors('Could not fetch the repository', () => store.packages.makeScratch());
  try {
    const path = join(scratch.path, 'source');
    await mkdir(path);
    const commit = await fetchRepository(source, path, { signal });
    const { url, ref } = source;
    return await use({ path, name: nameOfRepository(url), place: { kind: 'git', url, ref, commit } });
  } finally {
    await scratch.remove();
  }
}

/** The source at a recorded place, at a later state of it. `ref` replaces the recorded tag. */
export function toSource(place: PackagePlace, ref?: string): string | GitAddress {
  if (place.kind === 'path') return place.path;
  if (place.kind === 'git') return { url: place.url, ref: ref ?? place.ref };
  throw new CrewError('USAGE', 'The package was not converted from a source; upgrade it instead.');
}
