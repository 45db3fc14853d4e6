/**
 * Takes Works over into this store in one step: an order, with all that it needs, is put into a folder of the store by one rename. From then
 * on it is completed, by this process or by the next one that looks.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runModelSchema } from '@crewagent/protocol/model';
import type { PackageSignature } from '@crewagent/protocol/package-signature';
import { type Transfer, transferSchema } from '@crewagent/protocol/transfer';
import * as z from '@crewagent/protocol/zod';
import { CrewError } from '../base/crew-error.ts';
import { createFolders, renameEntry, replaceFile, syncFolder } from '../base/durable-files.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { removeTree } from '../base/remove-tree.ts';
import { isAlive, parseStagingName, stagingName } from '../base/staging.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import type { WorkCopy } from '../store/work-store.ts';
import {
  compareHere,
  findHere,
  installPackage,
  type PackageArrival,
  prepareAdoption,
} from './adopt-works.ts';
import { type ChangedPaths, toChangedPaths } from './changed-paths.ts';
import { packagesOf } from './pack-works.ts';
import { openProjectFolder } from './project-files.ts';
import type { TransferDeps } from './push-work.ts';
import { unpackWorks } from './unpack-works.ts';

const orderSchema = z.strictObject({
  format: z.literal(1),
  projectId: z.uuid(),
  /** File or server that the Work is from, for its log. */
  from: z.string(),
  at: z.iso.datetime(),
  /** Of files of the project that are being written. */
  tempName: z.string().check(z.regex(/^\.[0-9a-f-]{36}$/)),
  /** That the person chose. */
  model: z.optional(runModelSchema),
  /** Of a pull; its contents are beside the order. */
  transfer: z.optional(transferSchema),
});
export type AdoptionOrder = z.infer<typeof orderSchema>;

export interface Adopted {
  readonly workId: string;
  readonly written: readonly string[];
  /** Were changed here and stay. */
  readonly kept: readonly string[];
}

/** Each step is one that was done already, or done now: repeated, it leads to the same. */
export type Complete = (folder: string, order: AdoptionOrder) => Promise<Adopted>;

const ORDER = 'order.json';
const [RECEIVING, ADOPTING] = ['receiving', 'adopting'];

/** Folders that this process is working on. */
const active = new Set<string>();

/** `fill` puts what the order needs into a folder, durably. */
export async function orderAdoption(
  adoptions: string,
  order: Omit<AdoptionOrder, 'format' | 'tempName'>,
  { fill, complete }: { fill(folder: string): Promise<void>; readonly complete: Complete },
): Promise<Adopted> {
  const whole: AdoptionOrder = { format: 1, tempName: `.${randomUUID()}`, ...order };
  return withDiskErrors('Could not store the run', async () => {
    await createFolders(adoptions);
    const arriving = join(adoptions, stagingName(RECEIVING));
    const folder = join(adoptions, stagingName(ADOPTING));
    active.add(folder);
    try {
      try {
        await mkdir(arriving, { mode: 0o700 });
        await fill(arriving);
        await replaceFile(join(arriving, ORDER), JSON.stringify(whole));
        await syncFolder(arriving);
        await renameEntry(arriving, folder);
      } finally {
        await removeTree(arriving);
      }
      return await completeIn(folder, complete);
    } finally {
      active.delete(folder);
    }
  });
}

/** Completes what processes that died, or found a full disk, had begun. Throws DISK if there is still no room. */
export async function finishAdoptions(
  adoptions: string,
  complete: Complete,
  onFinished: (adopted: Adopted, order: AdoptionOrder) => void,
): Promise<void> {
  for (const name of existsSync(adoptions) ? readdirSync(adoptions) : []) {
    const staging = parseStagingName(name);
    const left = join(adoptions, name);
    if (!staging || active.has(left) || (staging.pid !== process.pid && isAlive(staging.pid))) continue;
    if (staging.kind !== ADOPTING) {
      await removeTree(left);
      continue;
    }
    const folder = join(adoptions, stagingName(ADOPTING));
    active.add(folder);
    try {
      if (await claim(left, folder))
        await withDiskErrors('Could not store the run', () => completeIn(folder, complete, onFinished));
    } catch (error) {
      if (!isRefused(error)) throw error;
    } finally {
      active.delete(folder);
    }
  }
}

/** The copy here went on, or its project is gone: it stays as it is. */
function isRefused(error: unknown): boolean {
  return error instanceof CrewError && error.code !== 'DISK' && error.code !== 'RUN_LOCKED';
}

/** False if another process was faster. */
async function claim(left: string, folder: string): Promise<boolean> {
  try {
    await renameEntry(left, folder);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function completeIn(
  folder: string,
  complete: Complete,
  onFinished?: (adopted: Adopted, order: AdoptionOrder) => void,
): Promise<Adopted> {
  const order = orderSchema.parse(JSON.parse(await readFile(join(folder, ORDER), 'utf8')));
  let isOver = true;
  try {
    const adopted = await complete(folder, order);
    onFinished?.(adopted, order);
    return adopted;
  } catch (error) {
    isOver = isRefused(error);
    throw error;
  } finally {
    if (isOver) await removeTree(folder);
  }
}

/** Works that arrived and were verified. */
export interface Arrived extends Pick<PackageArrival, 'signer'> {
  readonly transfer: Transfer;
  readonly copies: readonly WorkCopy[];
  /** What the Works found or wrote at each path. */
  readonly paths?: ChangedPaths;
  read(sha256: string): Promise<Buffer>;
  signatureOf?(packageHash: string): PackageSignature | undefined;
}

/** Files that were changed here stay as they are. No-op if this store has the Works already. */
export async function adoptArrived(
  { transfer, copies, paths, read, signer, signatureOf }: Arrived,
  { projectId, from, at, tempName, model }: AdoptionOrder,
  { store, context }: TransferDeps,
): Promise<Adopted> {
  const workId = copies[0]?.record.workId ?? '';
  // Its children are stored before it.
  const relation = (await findHere(store.works, workId)) ? await compareHere(copies, store.works) : 'newer';
  if (relation !== 'newer') return { workId, written: [], kept: [] };
  const project = await store.projects.read(projectId);
  for (const hash of packagesOf(copies.map(({ record }) => record)))
    if (!(await store.packages.find(hash)))
      await installPackage(transfer, hash, read, { store, context, signature: signatureOf?.(hash), signer });
  const adopt = await prepareAdoption(
    copies,
    { projectId, note: { from }, model, now: () => new Date(at) },
    store,
  );
  const files = await openFilesOf(project.path, store);
  const plan = await files.plan({ ...transfer, paths: paths ?? toPaths(copies) }, true);
  await files.write(plan, read, tempName);
  await adopt();
  return { workId, written: [...plan.put.map(({ path }) => path), ...plan.remove], kept: plan.kept };
}

export function toPaths(copies: readonly WorkCopy[]): ChangedPaths {
  return toChangedPaths(copies.map(({ journal }) => journal));
}

export async function openFilesOf(path: string, { settings }: Pick<TransferDeps['store'], 'settings'>) {
  const { tools } = await settings.load();
  return openProjectFolder(path, createSecretCheck(tools.fs.secretPatterns));
}

/** Completes the order of a pull. */
export function completePull(deps: TransferDeps): Complete {
  return async (folder, order) => {
    const { transfer } = order;
    if (!transfer) throw new Error('a pull has a transfer');
    const read = (sha256: string): Promise<Buffer> => readFile(join(folder, CONTENTS, sha256));
    const copies = await unpackWorks(transfer, read);
    return adoptArrived({ transfer, copies, read }, order, deps);
  };
}

/** Folder beside the order of a pull. */
export const CONTENTS = 'contents';
