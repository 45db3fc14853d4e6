/** Installs or inspects the package at an address: what it is, who signed it, and its hash. */

import { open, stat } from 'node:fs/promises';
import type { InstalledPackage } from '@crewagent/protocol/installed-package';
import type { PackageChanges } from '@crewagent/protocol/package-changes';
import type { Signer } from '@crewagent/protocol/package-signature';
import { ifPossible } from '../base/crew-error.ts';
import { ifPresent } from '../base/errno.ts';
import { isMethodFile } from '../base/method-file.ts';
import { hashArchive, readArchiveSignature } from '../bmad/archive/archive-signature.ts';
import type { WorkflowPackage } from '../bmad/check/workflow-package.ts';
import { comparePackages, toPackageVersion } from '../bmad/compare-packages.ts';
import { type ImportResult, importPackage } from '../bmad/import-package.ts';
import { listInstalled, newestOf, resolveInstalled } from '../bmad/installed-packages.ts';
import { type Inspection, inspectPackage, withValidPackage } from '../bmad/load-package.ts';
import { type Upload, withUpload } from '../bmad/receive-upload.ts';
import { readIdentity } from '../bmad/signing/read-identity.ts';
import { findSigner } from '../bmad/signing/signers.ts';
import { loadInstalled } from '../session/load-workflow.ts';
import { loadInstalledVersion } from '../session/upgrade/installed-version.ts';
import type { UserStore } from '../store/store.ts';
import { type SharingDeps, withAddress } from './open-address.ts';
import { toAddress } from './to-address.ts';

export interface AddRequest {
  readonly address: string;
  /** The hash that was shown to a person. */
  readonly sha256?: string | undefined;
  /** A person accepts another signer than before. */
  readonly acceptsSigner?: boolean | undefined;
}

export async function addPackage(
  { address, sha256, acceptsSigner = false }: AddRequest,
  deps: SharingDeps,
): Promise<ImportResult> {
  return withAddress(address, deps, ({ path, place, sha256: listed, identity }) =>
    importPackage(path, deps.store, deps.context, {
      shown: address,
      origin: { place },
      sha256: sha256 ?? listed,
      identity,
      signer: acceptsSigner ? 'accept' : 'ask',
    }),
  );
}

export interface AddressInspection extends Inspection {
  /** Undefined for a folder, and for what is not a package. */
  readonly archive: { readonly hash: string; readonly signer: Signer } | undefined;
  /** Against the newest installed version of its name. */
  readonly changes: PackageChanges | undefined;
}

export async function inspectAddress(address: string, deps: SharingDeps): Promise<AddressInspection> {
  return withAddress(address, deps, ({ path, identity }) => inspectFile(path, address, deps, identity));
}

/** Installs an archive that a browser sent. */
export async function importUpload(
  upload: Upload,
  { store, context, acceptsSigner = false }: FileDeps & Pick<AddRequest, 'acceptsSigner'>,
): Promise<ImportResult> {
  const { name } = upload;
  const signer = acceptsSigner ? 'accept' : 'ask';
  const origin = { place: { kind: 'upload', name } } as const;
  return withUpload(upload, store, (archive) =>
    importPackage(archive, store, context, { shown: name, origin, signer }),
  );
}

/** Inspects it without installing it. */
export async function inspectUpload(upload: Upload, deps: FileDeps): Promise<AddressInspection> {
  return withUpload(upload, deps.store, (archive) => inspectFile(archive, upload.name, deps));
}

type FileDeps = Pick<SharingDeps, 'store' | 'context'>;

async function inspectFile(
  path: string,
  shown: string,
  { store, context }: FileDeps,
  maker?: string,
): Promise<AddressInspection> {
  const inspection = await inspectPackage(path, context, { shown });
  const name = inspection.package?.manifest.name;
  if (name === undefined) return { ...inspection, archive: undefined, changes: undefined };
  const [archive, changes] = [
    await readArchiveFacts(path, name, store, maker),
    await compareWithInstalled(path, name, { store, context }),
  ];
  return { ...inspection, archive, changes };
}

async function readArchiveFacts(
  path: string,
  name: string,
  { packages }: UserStore,
  maker: string | undefined,
): Promise<AddressInspection['archive']> {
  if (isMethodFile(path) || (await ifPresent(stat(path)))?.isFile() !== true) return undefined;
  const handle = await open(path, 'r');
  try {
    const [hash, signature] = [await hashArchive(handle), await readArchiveSignature(handle)];
    const identity = (await readIdentity(path, handle, packages)) ?? maker;
    return { hash, signer: await findSigner({ name, hash, signature, identity }, packages) };
  } finally {
    await handle.close();
  }
}

/** Undefined if no package of the name is installed, or the installed one cannot be read. */
async function compareWithInstalled(
  path: string,
  name: string,
  { store, context }: FileDeps,
): Promise<PackageChanges | undefined> {
  const installed = (await listInstalled(store)).filter((one) => one.name === name);
  const [first] = installed;
  if (!first) return undefined;
  const before = await ifPossible(loadInstalledVersion(newestOf(installed, first).hash, store, context));
  const after = await withValidPackage(path, context, ({ files }, loaded) =>
    toPackageVersion(loaded, (file) => files.read(file)),
  );
  return before && comparePackages(before, after);
}

export interface PackageFacts {
  readonly package: InstalledPackage;
  readonly loaded: WorkflowPackage;
  /** Where it came from. */
  readonly source: string | undefined;
  readonly signer: Signer;
}

/** An installed package, with where it came from and who signed it. */
export async function showPackage(ref: string, { store, context }: FileDeps): Promise<PackageFacts> {
  const installed = await resolveInstalled(store, ref, { isNewest: true });
  const { hash, name } = installed;
  const origin = await store.packages.readOrigin(hash);
  return {
    package: installed,
    loaded: await loadInstalled(hash, store, context, { isWhole: true }),
    source: origin && toAddress(origin.place),
    signer: await readSigner({ hash, name }, store),
  };
}

/** Of an installed package. */
export async function readSigner(
  { hash, name }: Pick<InstalledPackage, 'hash' | 'name'>,
  { packages }: Pick<UserStore, 'packages'>,
): Promise<Signer> {
  const { signature, identity } = (await packages.readOrigin(hash)) ?? {};
  return signature || identity !== undefined
    ? findSigner({ name, hash, signature, identity }, packages)
    : { status: 'unsigned' };
}
