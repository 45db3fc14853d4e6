/** Opens a source to import where it is: a folder or zip of this machine, or a git repository, which is fetched for the time of its use. */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SourcePlace } from '@crewagent/protocol/package-origin';
import { withDiskErrors } from '../base/errno.ts';
import type { UserStore } from '../store/store.ts';
import { fetchRepository } from './git.ts';
import { type GitAddress, nameOfRepository } from './git-address.ts';

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
export function toSource(place: SourcePlace, ref?: string): string | GitAddress {
  return place.kind === 'path' ? place.path : { url: place.url, ref: ref ?? place.ref };
}
