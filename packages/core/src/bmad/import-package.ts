/**
 * Installs a package into the store under the hash of its bytes.
 */
import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import type { FileHashes, InstalledPackage } from '@crewagent/protocol/installed-package';
import type { PackageOrigin } from '@crewagent/protocol/package-origin';
import type { Signer } from '@crewagent/protocol/package-signature';
import { CrewError } from '../base/crew-error.ts';
import { createFile, syncFolder } from '../base/durable-files.ts';
import { ifAllowed, withDiskErrors } from '../base/errno.ts';
import { mapLimit } from '../base/map-limit.ts';
import { isMethodFile } from '../base/method-file.ts';
import { sha256Of } from '../base/sha256.ts';
import type { PackageStore } from '../store/package-store.ts';
import type { UserStore } from '../store/store.ts';
import { isSameValue } from '../workflow/same-value.ts';
import { hashArchive, readArchiveSignature } from './archive/archive-signature.ts';
import type { OpenPackage } from './archive/open-package.ts';
import { DamagedFile, foldersOf, type PackageFiles } from './archive/package-files.ts';
import type { ValidationContext } from './check/validate-package.ts';
import { toPlainPackage, type WorkflowPackage } from './check/workflow-package.ts';
import { toInstalled } from './installed-packages.ts';
import { invalidPackage, withValidPackage } from './load-package.ts';
import { type PackOptions, packFolder } from './pack-package.ts';
import { readIdentity } from './signing/read-identity.ts';
import { requirePackage } from './signing/require-package.ts';
import { findSigner, recordSigner, requireAccepted } from './signing/signers.ts';

export interface ImportResult {
  readonly package: InstalledPackage;
  /** The same bytes were installed before; nothing was written. */
  readonly alreadyInstalled: boolean;
  readonly warnings: readonly Diagnostic[];
  /** Undefined for a folder, which is the person's own. */
  readonly signer?: Signer | undefined;
}

/** The hash is that of the archive unless a source was converted. */
export type FoundAt = Omit<PackageOrigin, 'schemaVersion' | 'sha256' | 'signature' | 'identity'> & {
  readonly sha256?: string | undefined;
};

export interface ImportOptions extends PackOptions {
  /** Where the package can be found again. */
  readonly origin?: FoundAt | undefined;
  /** The name shown to people; default: the path. */
  readonly shown?: string;
  /** `accept`: a person accepted a signer who is not the one before. `skip`: the bytes were agreed on in another way. */
  readonly signer?: 'ask' | 'accept' | 'skip' | undefined;
  /** Throws if the package is another one. */
  readonly sha256?: string | undefined;
  /** Who is proved to have made what the package came in; a bundle beside the archive is nearer. */
  readonly identity?: string | undefined;
}

type PackageTarget = Pick<UserStore, 'packages' | 'policy'>;

/** Installs the archive, folder or method at `source`. Throws PACKAGE_INVALID with all findings if it is rejected. */
export async function importPackage(
  source: string,
  { packages, policy }: PackageTarget,
  context: ValidationContext,
  { shown = source, origin, ...options }: ImportOptions = {},
): Promise<ImportResult> {
  const { signature, identity, ...result } = await installPackage(source, { packages, policy }, context, {
    shown,
    ...options,
  });
  await withDiskErrors(`Could not install "${shown}"`, async () => {
    if (origin) await recordOrigin(packages, result.package.hash, { ...origin, signature, identity });
    if (result.signer) await recordSigner(result.package.name, result.signer, packages);
  });
  return result;
}

/** Written only if it differs: a run of a package folder comes here each time. */
async function recordOrigin(packages: PackageStore, hash: string, found: FoundAt & Signed): Promise<void> {
  const { place, conversion, sha256 = hash } = found;
  const before = await packages.readOrigin(hash);
  const signature = found.signature ?? before?.signature;
  const identity = found.identity ?? before?.identity;
  const origin: PackageOrigin = { schemaVersion: 1, place, sha256, signature, identity, conversion };
  if (!isSameValue(before, origin)) await packages.writeOrigin(hash, origin);
}

async function installPackage(
  source: string,
  { packages, policy }: PackageTarget,
  context: ValidationContext,
  { shown, ...options }: ImportOptions & { readonly shown: string },
): Promise<Installed> {
  if (!isMethodFile(source) && !(await isFolder(source)))
    return importArchive(source, shown, { packages, policy, context, ...options });
  // A folder or a method is packed first, so that it gets the identity of its packed form.
  const scratch = await withDiskErrors(`Could not install "${shown}"`, () => packages.makeScratch());
  try {
    const archive = join(scratch.path, 'package.bmad');
    await packFolder(source, archive, context, options);
    return await importArchive(archive, shown, {
      packages,
      policy,
      context,
      signer: 'skip',
      sha256: options.sha256,
    });
  } finally {
    await scratch.remove();
  }
}

type Installed = ImportResult & Signed;
/** What came with the package and was valid. */
type Signed = Pick<PackageOrigin, 'signature' | 'identity'>;

interface ArchiveImport extends Pick<ImportOptions, 'signer' | 'sha256' | 'identity'> {
  readonly packages: PackageStore;
  readonly policy: PackageTarget['policy'];
  readonly context: ValidationContext;
}

async function importArchive(
  path: string,
  shown: string,
  { packages, policy, context, signer: asked = 'ask', sha256, identity: maker }: ArchiveImport,
): Promise<Installed> {
  const action = `Could not install "${shown}"`;
  const install = async (
    { archive, files }: OpenPackage,
    loaded: WorkflowPackage,
    warnings: readonly Diagnostic[],
  ): Promise<Installed> => {
    if (!archive) throw changedMeanwhile(shown);
    requireEngine(shown, warnings);
    const hash = await hashArchive(archive.handle);
    if (sha256 !== undefined && sha256 !== hash) throw otherPackage(shown, sha256, hash);
    const { name } = loaded.manifest;
    const signature = await readArchiveSignature(archive.handle);
    await requirePackage(policy, { name, hash, signature });
    const isAsked = asked !== 'skip';
    const identity = isAsked ? ((await readIdentity(path, archive.handle, packages)) ?? maker) : undefined;
    const signer = isAsked ? await findSigner({ name, hash, signature, identity }, packages) : undefined;
    // The same bytes were agreed on when they were installed, with their signature.
    const isUnsignedCopy = signer?.status === 'missing' && (await packages.find(hash)) !== undefined;
    if (signer && !isUnsignedCopy) requireAccepted(name, signer, asked === 'accept');
    const isNew = await withDiskErrors(action, () =>
      packages.add(hash, async (folder) => {
        const hashes = await unpack(files, folder);
        await archive.checkUnchanged();
        return hashes;
      }),
    );
    await archive.checkUnchanged();
    const found = await packages.find(hash);
    if (!found) throw changedMeanwhile(shown);
    // Saves the first run a second validation.
    if (isNew) await packages.writeCompiled(hash, toPlainPackage(loaded));
    return {
      package: await toInstalled(packages, found),
      alreadyInstalled: !isNew,
      warnings,
      signer: isUnsignedCopy ? undefined : signer,
      signature: signer && signature,
      identity,
    };
  };
  try {
    return await withValidPackage(path, context, install, { shown });
  } catch (error) {
    if (error instanceof DamagedFile) throw invalidPackage(shown, [damage(error)]);
    throw error;
  }
}

function requireEngine(shown: string, warnings: readonly Diagnostic[]): void {
  const found = warnings.filter(({ code }) => code === 'ENGINE_UNSUPPORTED');
  if (found.length > 0)
    throw invalidPackage(
      shown,
      found.map((finding) => ({ ...finding, severity: 'error' })),
    );
}

function changedMeanwhile(shown: string): CrewError {
  return new CrewError('PACKAGE_CHANGED', `"${shown}" changed while it was being read. Try again.`);
}

function otherPackage(shown: string, expected: string, found: string): CrewError {
  return new CrewError(
    'HASH_MISMATCH',
    `"${shown}" is another package than expected: its hash is ${found.slice(0, 16)}… and not ${expected.slice(0, 16)}…. Nothing was installed.`,
  );
}

const CONCURRENCY = 4;

/** Writes every file, private and read-only, and syncs each to disk. Returns their hashes. */
async function unpack(files: PackageFiles, staging: string): Promise<FileHashes> {
  const paths = [...files.paths];
  const folders = [...foldersOf(paths)].sort((a, b) => a.length - b.length);
  for (const folder of folders) await mkdir(join(staging, folder), { recursive: true, mode: 0o700 });
  const hashes = await mapLimit(paths, CONCURRENCY, async (path) => {
    const content = await files.read(path);
    await createFile(join(staging, path), content, 0o400);
    return [path, sha256Of(content)] as const;
  });
  for (const folder of [...folders.reverse(), '']) {
    const full = join(staging, folder);
    await syncFolder(full);
    await chmod(full, 0o500);
  }
  return Object.fromEntries(hashes);
}

async function isFolder(path: string): Promise<boolean> {
  // Opening it as an archive reports the error.
  return (await ifAllowed(stat(path)))?.isDirectory() ?? false;
}

function damage(error: DamagedFile): Diagnostic {
  return {
    severity: 'error',
    code: 'ARCHIVE_DAMAGED',
    file: '.',
    message: error.message,
    fix: 'Get the package again, or pack it again from its folder.',
  };
}
