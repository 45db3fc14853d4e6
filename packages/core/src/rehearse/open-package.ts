/** A package in a memory store of its own, with everything that its runs share. */
import { settingsSchema } from '@crewagent/protocol/settings';
import { createUuidV7 } from '../base/uuid-v7.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { importPackage } from '../bmad/import-package.ts';
import { loadInstalled } from '../session/load-workflow.ts';
import { openMemoryStore } from '../store/open-memory-store.ts';
import type { SharedDeps } from './drive-run.ts';

export interface OpenedPackage {
  readonly path: string;
  readonly context: ValidationContext;
  readonly signal: AbortSignal;
  /** It is the folder of an installed package. */
  readonly isInstalled?: boolean;
}

/** `root`: a temporary folder for the store. */
export async function openPackage(
  root: string,
  { path, context, signal, isInstalled = false }: OpenedPackage,
): Promise<SharedDeps> {
  const now = (): Date => new Date();
  const store = openMemoryStore(root);
  const { package: installed } = await importPackage(path, store, context, { isPrivate: true, isInstalled });
  return {
    store,
    // Default settings, so that a report is the same on every machine.
    settings: settingsSchema.parse({}),
    context,
    packageHash: installed.hash,
    loaded: await loadInstalled(installed.hash, store, context),
    now,
    newId: createUuidV7(now),
    signal,
  };
}
