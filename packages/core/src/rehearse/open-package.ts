/** Finds a package, and opens it in a memory store of its own, with everything that its runs share. */
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import { settingsSchema } from '@crewagent/protocol/settings';
import { createUuidV7 } from '../base/uuid-v7.ts';
import type { OpenOptions } from '../bmad/archive/open-package.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { importPackage } from '../bmad/import-package.ts';
import { inspectPackage, invalidPackage } from '../bmad/load-package.ts';
import { loadInstalled, pinPackage } from '../session/load-workflow.ts';
import { openMemoryStore } from '../store/open-memory-store.ts';
import type { UserStore } from '../store/store.ts';
import type { SharedDeps } from './drive-run.ts';

export interface PackageRequest extends Unsaved {
  /** A `.bmad` file, a package folder, or an installed id. */
  readonly package: string;
  /** Store in which installed packages are looked up. */
  readonly store?: UserStore | undefined;
  readonly context: ValidationContext;
}

/** Texts of an editor in place of files of a package folder. */
type Unsaved = Pick<OpenOptions, 'unsaved'>;

export interface PackageSource extends Unsaved {
  readonly path: string;
  /** Hash of an installed package; a package given by path gets one when it is opened. */
  readonly installed?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Throws for an invalid package or an unknown name. */
export async function findPackage({
  package: ref,
  store,
  context,
  ...unsaved
}: PackageRequest): Promise<PackageSource> {
  const { diagnostics, package: found } = await inspectPackage(ref, context, toOpenOptions(unsaved));
  if (found) return { path: ref, diagnostics, ...toOpenOptions(unsaved) };
  const exists = diagnostics.some(({ code }) => code !== 'NOT_FOUND');
  if (exists || !store) throw invalidPackage(ref, diagnostics);
  const hash = await pinPackage(ref, store, context);
  const path = store.packages.folder(hash);
  const installed = await inspectPackage(path, context, { isInstalled: true });
  if (!installed.package) throw invalidPackage(hash.slice(0, 12), installed.diagnostics);
  return { path, installed: hash, diagnostics: installed.diagnostics };
}

export interface OpenedPackage extends Pick<PackageSource, 'path' | 'installed' | 'unsaved'> {
  readonly context: ValidationContext;
  readonly signal: AbortSignal;
}

/** `root`: a temporary folder for the store. */
export async function openPackage(
  root: string,
  { path, installed, context, signal, ...unsaved }: OpenedPackage,
): Promise<SharedDeps> {
  const now = (): Date => new Date();
  const opened = openMemoryStore(root);
  // Read once: they are asked for at each call.
  const policies = await opened.policy.read();
  const store = { ...opened, policy: { ...opened.policy, read: () => Promise.resolve(policies) } };
  const { package: imported } = await importPackage(path, store, context, {
    isPrivate: true,
    isInstalled: installed !== undefined,
    ...toOpenOptions(unsaved),
  });
  return {
    store,
    // Default settings, so that a report is the same on every machine.
    settings: settingsSchema.parse({}),
    context,
    packageHash: imported.hash,
    loaded: await loadInstalled(imported.hash, store, context),
    now,
    newId: createUuidV7(now),
    signal,
  };
}

/** The rest of a request has other options, too. */
function toOpenOptions({ unsaved }: Unsaved): Unsaved {
  return unsaved ? { unsaved } : {};
}
