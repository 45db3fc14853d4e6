/** What `crewagent import` reads and writes, from its words and options: a path or a repository, a new folder or an earlier import. */
import { existsSync } from 'node:fs';
import {
  CrewError,
  type GitAddress,
  isGitAddress,
  parseGitAddress,
  readOrigin,
  resolveInstalled,
  toSource,
  type UserStore,
} from '@crewagent/core';
import type { PackageOrigin } from '@crewagent/protocol/package-origin';

export interface TargetOptions {
  readonly out?: string;
  readonly update?: string;
  readonly module?: string;
  readonly workflow?: readonly string[];
}

interface ImportTarget {
  readonly source: string | GitAddress;
  readonly out: string | undefined;
  readonly isUpdate: boolean;
  readonly module: string | undefined;
  readonly workflows: readonly string[] | undefined;
  readonly packageName?: string | undefined;
}

export async function parseImport(
  words: readonly string[],
  { update, out, module, workflow }: TargetOptions,
  store: UserStore,
): Promise<ImportTarget> {
  const given = parseSource(words);
  if (update === undefined) {
    if (given === undefined)
      throw new CrewError('USAGE', 'Give a source to import, or a package with --update.');
    return { source: given, out, isUpdate: false, module, workflows: workflow };
  }
  if (out !== undefined) throw new CrewError('USAGE', 'Use either --update or -o, not both.');
  const origin = await findOrigin(update, store);
  const folder = origin?.conversion?.folder ?? update;
  const source = given ?? (origin && toSource(origin.place));
  if (source === undefined)
    throw new CrewError('USAGE', `It is not known where "${update}" came from. Give the source after it.`);
  return {
    source,
    out: folder,
    isUpdate: true,
    // The same parts as before, unless others are named.
    module: module ?? origin?.conversion?.module,
    workflows: workflow ?? origin?.conversion?.workflows,
    packageName: origin?.conversion?.packageName,
  };
}

function parseSource([first, second, ...more]: readonly string[]): string | GitAddress | undefined {
  if (more.length > 0) throw new CrewError('USAGE', 'Give one source only.');
  if (second !== undefined && first !== 'git')
    throw new CrewError('USAGE', 'Give one source only: a folder, a zip, or "git" and an address.');
  if (second !== undefined) return parseGitAddress(second);
  if (first === undefined) return undefined;
  return isGitAddress(first) ? parseGitAddress(first) : first;
}

/** Of the folder of an import: the given one, or the one that an installed package came from. */
async function findOrigin(ref: string, store: UserStore): Promise<PackageOrigin | undefined> {
  if (existsSync(ref)) return readOrigin(ref);
  const { hash, name } = await resolveInstalled(store, ref, { isNewest: true });
  const recorded = await store.packages.readOrigin(hash);
  const origin = recorded?.place.kind === 'path' ? await readOrigin(recorded.place.path) : undefined;
  if (!origin)
    throw new CrewError(
      'USAGE',
      `${name} was not installed from the folder of an import. Try "crewagent packages upgrade ${name}".`,
    );
  return origin;
}
