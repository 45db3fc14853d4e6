/**
 * Installs what is newer at the source of a package, beside the version that is installed: runs stay pinned to theirs. The folder of
 * an import is updated first and keeps the edits of a person; with conflicts, or if the result is not valid, nothing is installed.
 */
import { join } from 'node:path';
import type { InstalledPackage } from '@crewagent/protocol/installed-package';
import type { PackageChanges } from '@crewagent/protocol/package-changes';
import type { PackageOrigin } from '@crewagent/protocol/package-origin';
import { CrewError } from '../base/crew-error.ts';
import { comparePackages } from '../bmad/compare-packages.ts';
import { importPackage } from '../bmad/import-package.ts';
import { importSource } from '../import/import-source.ts';
import { loadInstalledVersion } from '../session/upgrade/installed-version.ts';
import { type AddRequest, addPackage } from '../sharing/add-package.ts';
import { toNewerAddress } from '../sharing/to-address.ts';
import type { FollowDeps, FollowedPackage } from './find-newer.ts';
import { toSource, withSource } from './open-source.ts';

export interface PackageUpgrade {
  readonly installed: InstalledPackage;
  readonly changes: PackageChanges;
}

/** `acceptsSigner`: a person accepts another signer than before. */
export async function upgradePackage(
  { installed, origin, ref, available }: FollowedPackage,
  { acceptsSigner, ...deps }: FollowDeps & Pick<AddRequest, 'acceptsSigner'>,
): Promise<PackageUpgrade> {
  if (!origin) throw new CrewError('USAGE', `It is not known where ${installed.name} came from.`);
  const address = origin.conversion ? undefined : toNewerAddress(origin.place, ref ?? available);
  const next =
    address === undefined
      ? await installNewer(origin, ref, deps)
      : (await addPackage({ address, acceptsSigner }, deps)).package;
  const [before, after] = [
    await loadInstalledVersion(installed.hash, deps.store, deps.context),
    await loadInstalledVersion(next.hash, deps.store, deps.context),
  ];
  return { installed: next, changes: comparePackages(before, after) };
}

async function installNewer(
  origin: PackageOrigin,
  ref: string | undefined,
  deps: FollowDeps,
): Promise<InstalledPackage> {
  const { store, context } = deps;
  const { place, conversion } = origin;
  const installAt = async (path: string): Promise<InstalledPackage> => {
    const found = { place: { kind: 'path', path } } as const;
    return (await importPackage(path, store, context, { isPrivate: true, origin: found })).package;
  };
  if (!conversion && place.kind === 'path') return installAt(place.path);
  const { folder } = conversion ?? {};
  if (folder !== undefined) {
    await updateFolder(folder, origin, ref, deps);
    return installAt(folder);
  }
  const scratch = await store.packages.makeScratch();
  try {
    const out = join(scratch.path, 'package');
    return await withSource(toSource(place, ref), deps, async (source) => {
      const { report } = await importSource({
        ...source,
        source: source.path,
        out,
        ...conversion,
        context,
        rehearse: false,
      });
      const read = { place: source.place, sha256: report.source.sha256, conversion };
      return (
        await importPackage(out, store, context, {
          shown: report.package.name,
          isPrivate: true,
          origin: read,
        })
      ).package;
    });
  } finally {
    await scratch.remove();
  }
}

async function updateFolder(
  folder: string,
  { place, conversion }: PackageOrigin,
  ref: string | undefined,
  deps: FollowDeps,
): Promise<void> {
  const { report } = await withSource(toSource(place, ref), deps, (source) =>
    importSource({
      ...source,
      source: source.path,
      out: folder,
      isUpdate: true,
      module: conversion?.module,
      workflows: conversion?.workflows,
      packageName: conversion?.packageName,
      context: deps.context,
      rehearse: false,
    }),
  );
  const { conflicts } = report.edits;
  if (conflicts.length > 0)
    throw new CrewError(
      'FILE_CONFLICT',
      `"${folder}" was updated and your version of ${conflicts.length === 1 ? 'one file' : `${conflicts.length} files`} was kept, because the source changed the same lines: ${conflicts.slice(0, 5).join(', ')}. Compare them with the source, then install the folder with "crewagent packages add".`,
      { details: { conflicts } },
    );
}
