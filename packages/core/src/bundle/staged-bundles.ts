/**
 * Runs in one file that a person looks at on the page before they decide. Each is in a private folder of the store, and nothing of it is
 * stored. Bounded in number; the oldest is discarded first.
 */
import { constants } from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BundlePlan } from '@crewagent/protocol/api/bundles';
import { CrewError } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { type Upload, withUpload } from '../bmad/receive-upload.ts';
import type { ScratchFolder } from '../store/package-store.ts';
import type { UserStore } from '../store/store.ts';
import type { Adopted } from '../transfer/adoptions.ts';
import { isEncrypted } from './envelope.ts';
import type { OpenedBundle } from './open-bundle.ts';

export interface Staged {
  readonly bundleId: string;
  readonly name: string;
  /** Undefined for one that waits for its passphrase. */
  opened: OpenedBundle | undefined;
  /** Of the encrypted file. */
  readonly scratch: ScratchFolder | undefined;
}

export type StagedBundles = ReturnType<typeof createStagedBundles>;

export interface AdoptChoice {
  readonly keepFiles?: boolean | undefined;
  readonly acceptsSigner?: boolean | undefined;
  readonly acceptsUnproved?: boolean | undefined;
  readonly model?: string | undefined;
}

interface BundleActions {
  open(file: string, askPassphrase: () => Promise<string>): Promise<OpenedBundle>;
  plan(opened: OpenedBundle, chosen: { readonly projectId: string }, model?: string): Promise<BundlePlan>;
  adopt(
    opened: OpenedBundle,
    request: AdoptChoice & { readonly chosen: { readonly projectId: string }; readonly file: string },
  ): Promise<Adopted>;
}

const MAX_STAGED = 4;
const FILE = 'run.crewrun';

export function createStagedBundles(store: Pick<UserStore, 'packages'>, bundles: BundleActions) {
  const newId = createUuidV7(() => new Date());
  // Oldest first: a map keeps insertion order.
  const staged = new Map<string, Staged>();
  const remove = async ({ bundleId, opened, scratch }: Staged): Promise<void> => {
    staged.delete(bundleId);
    await opened?.close();
    await scratch?.remove();
  };
  const get = (bundleId: string): Staged => {
    const found = staged.get(bundleId);
    if (found) return found;
    throw new CrewError('NOT_FOUND', 'This file is no longer open. Open it again.');
  };
  const getOpened = (bundleId: string): OpenedBundle => {
    const { opened } = get(bundleId);
    if (opened) return opened;
    throw new CrewError('USAGE', 'Give the passphrase of the file first.');
  };
  const stage = async (file: string, name: string): Promise<Staged> => {
    const isLocked = await withDiskErrors(`Could not open "${name}"`, () => isLockedFile(file));
    const scratch = isLocked ? await store.packages.makeScratch() : undefined;
    if (scratch) await copyFile(file, join(scratch.path, FILE), constants.COPYFILE_FICLONE);
    const opened = scratch ? undefined : await bundles.open(file, noPassphrase);
    const added: Staged = { bundleId: newId(), name, opened, scratch };
    staged.set(added.bundleId, added);
    for (const oldest of staged.values()) if (staged.size > MAX_STAGED) await remove(oldest);
    return added;
  };
  return {
    receive: (upload: Upload) => withUpload(upload, store, (file) => stage(file, upload.name)),
    /** A file of this machine. */
    open: (path: string) => stage(path, basename(path)),
    async unlock(bundleId: string, passphrase: string): Promise<Staged> {
      const found = get(bundleId);
      if (!found.scratch || found.opened) return found;
      const file = join(found.scratch.path, FILE);
      found.opened = await bundles.open(file, () => Promise.resolve(passphrase));
      return found;
    },
    plan: async (bundleId: string, projectId: string, model?: string) =>
      bundles.plan(getOpened(bundleId), { projectId }, model),
    async adopt(bundleId: string, { projectId, ...choice }: AdoptChoice & { readonly projectId: string }) {
      const found = get(bundleId);
      const request = { ...choice, chosen: { projectId }, file: found.name };
      const adopted = await bundles.adopt(getOpened(bundleId), request);
      await remove(found);
      return adopted;
    },
    discard: (bundleId: string) => remove(get(bundleId)),
    async close(): Promise<void> {
      for (const found of staged.values()) await remove(found);
    },
  };
}

async function isLockedFile(file: string): Promise<boolean> {
  const handle = await open(file, constants.O_RDONLY);
  try {
    return await isEncrypted(handle);
  } finally {
    await handle.close();
  }
}

const noPassphrase = (): Promise<string> => Promise.reject(new Error('it is not encrypted'));
