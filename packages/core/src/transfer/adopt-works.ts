/** Works that arrived, on their way into this store: compared with those here, with their packages, the root last. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PackageSignature } from '@crewagent/protocol/package-signature';
import type { Transfer } from '@crewagent/protocol/transfer';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../base/crew-error.ts';
import { withSignature } from '../bmad/archive/archive-signature.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { type ImportOptions, importPackage } from '../bmad/import-package.ts';
import { packFolder } from '../bmad/pack-package.ts';
import type { Store, UserStore } from '../store/store.ts';
import type { WorkAddress } from '../store/work-address.ts';
import type { WorkCopy, WorkStore } from '../store/work-store.ts';
import { combineRelations, compareLogs, type Relation } from './compare-works.ts';
import { type OwnPlace, toOwnCopy } from './own-copy.ts';
import { readEvents } from './pack-works.ts';
import { requireSafePath } from './project-files.ts';

export async function findHere(works: WorkStore, workId: string): Promise<WorkAddress | undefined> {
  try {
    return await works.find(workId);
  } catch (error) {
    if (error instanceof CrewError && error.code === 'WORK_NOT_FOUND') return undefined;
    throw error;
  }
}

/** What arrived, compared with what is here. */
export async function compareHere(copies: readonly WorkCopy[], works: WorkStore): Promise<Relation> {
  const relations: Relation[] = [];
  for (const { record, events } of copies) {
    const here = await findHere(works, record.workId);
    relations.push(here ? compareLogs(events, await readEvents(works, here)) : 'newer');
  }
  return combineRelations(relations);
}

/**
 * Checks that these Works can be continued here, and returns what stores them. The root is last: until it is there, adopting again
 * repeats all of it.
 */
export async function prepareAdoption(
  copies: readonly WorkCopy[],
  place: Pick<OwnPlace, 'projectId' | 'note' | 'now' | 'model'>,
  { works, projects, settings }: Store,
): Promise<() => Promise<void>> {
  const known = new Map<string, WorkRecord>();
  for (const { record } of copies) {
    const address = await findHere(works, record.workId);
    if (address) known.set(record.workId, await works.read(address));
  }
  const whole = { ...place, settings: await settings.load(), known: (id: string) => known.get(id) };
  const own = copies.map((copy) => toOwnCopy(copy, whole));
  return async () => {
    for (const copy of own.toReversed())
      await works.adopt(copy, { publishing: (publish) => projects.whileStays(place.projectId, publish) });
  };
}

export interface PackageArrival extends Pick<ImportOptions, 'signer'> {
  readonly store: Pick<UserStore, 'packages' | 'policy'>;
  readonly context: ValidationContext;
  /** Over the hash, by the author of the package. */
  readonly signature?: PackageSignature | undefined;
}

/** Installs the package of the hash from its files. Throws PACKAGE_NOT_FOUND if packing them does not give the hash again. */
export async function installPackage(
  { packages: inside }: Pick<Transfer, 'packages'>,
  hash: string,
  read: (sha256: string) => Promise<Buffer>,
  { store, context, signature, signer = 'skip' }: PackageArrival,
): Promise<void> {
  const files = inside.find((one) => one.hash === hash)?.files ?? {};
  const scratch = await store.packages.makeScratch();
  try {
    const folder = join(scratch.path, 'package');
    for (const [path, sha256] of Object.entries(files)) {
      requireSafePath(path);
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, await read(sha256), { mode: 0o600, flag: 'wx' });
    }
    const archive = join(scratch.path, 'package.bmad');
    const { sha256 } = await packFolder(folder, archive, context, { isPrivate: true });
    if (sha256 !== hash)
      throw new CrewError(
        'PACKAGE_NOT_FOUND',
        'The package of the run was packed by another program, so that it cannot be given again. Install its .bmad file here first, then try again.',
      );
    if (signature) await writeFile(archive, withSignature(await readFile(archive), signature));
    await importPackage(archive, store, context, { shown: 'the package of the run', signer });
  } finally {
    await scratch.remove();
  }
}
