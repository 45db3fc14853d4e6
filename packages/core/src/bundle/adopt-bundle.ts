/**
 * Continues a run of a file in this store: what that would change, and the change itself. The file is put into the store with the order to
 * adopt it by one rename; from then on the adoption is completed, by this process or by the next one that looks.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundlePlan } from '@crewagent/protocol/api/bundles';
import { modelNameOf, type RunModel, runModelSchema } from '@crewagent/protocol/model';
import type { Project } from '@crewagent/protocol/project';
import type { Settings } from '@crewagent/protocol/settings';
import type { WorkRecord } from '@crewagent/protocol/work';
import * as z from '@crewagent/protocol/zod';
import { CrewError } from '../base/crew-error.ts';
import {
  createFolders,
  renameEntry,
  replaceFile,
  syncFolder,
  type WriteChunk,
} from '../base/durable-files.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { removeTree } from '../base/remove-tree.ts';
import { isAlive, parseStagingName, stagingName } from '../base/staging.ts';
import { requirePackage } from '../bmad/signing/require-package.ts';
import { recordSigner, requireAccepted } from '../bmad/signing/signers.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { chooseModel, type Environment, findApiKeys } from '../session/models/choose-model.ts';
import { requireModel } from '../session/models/require-model.ts';
import { createKeyReader } from '../session/models/stored-keys.ts';
import type { SecretStore } from '../store/secret-store.ts';
import { compareHere, findHere, installPackage, prepareAdoption } from '../transfer/adopt-works.ts';
import { toChangedPaths } from '../transfer/changed-paths.ts';
import { type OwnPlace, toOwnCopy } from '../transfer/own-copy.ts';
import { packagesOf } from '../transfer/pack-works.ts';
import { openProjectFolder } from '../transfer/project-files.ts';
import type { OpenedBundle } from './open-bundle.ts';
import { signerOf, toSignedName } from './show-bundle.ts';
import { type OpenDeps, type VerifiedBundle, verifyBundle } from './verify-bundle.ts';

export interface AdoptDeps extends OpenDeps {
  readonly secrets: SecretStore;
  readonly env: Environment;
  /** Folder of this store for what is being adopted. */
  readonly adoptions: string;
}

export interface AdoptRequest {
  readonly project: Project;
  /** Name of the file, for the log. */
  readonly from: string;
  /** Files that were changed here stay as they are; otherwise they refuse the run. */
  readonly keepFiles?: boolean | undefined;
  readonly acceptsSigner?: boolean | undefined;
  /** Also if requests of the file are not as its log says that they were sent. */
  readonly acceptsUnproved?: boolean | undefined;
  /** The name of a model here, or `rehearsal`; default: what the settings here have for the run's. */
  readonly model?: string | undefined;
}

export interface Adopted {
  readonly workId: string;
  readonly written: readonly string[];
  readonly kept: readonly string[];
}

/** The project that has the run already, or the one that the person chose. */
export async function toProject<Chosen>(
  { copies }: VerifiedBundle,
  chosen: () => Promise<Chosen>,
  { store: { works, projects } }: OpenDeps,
): Promise<Project | Chosen> {
  const here = await findHere(works, copies[0]?.record.workId ?? '');
  return here ? projects.read(here.projectId) : chosen();
}

export type PlannedProject = Pick<Project, 'projectId' | 'path' | 'name'>;

export async function planAdoption(
  opened: OpenedBundle,
  project: PlannedProject,
  model: string | undefined,
  deps: AdoptDeps,
): Promise<BundlePlan> {
  const { copies, grants } = opened;
  const { store, now } = deps;
  const [root] = copies;
  if (!root) throw new Error('a bundle has a Work');
  const here = await findHere(store.works, root.record.workId);
  const relation = here ? await compareHere(copies, store.works) : 'new';
  const files = await openFiles(project, deps);
  const plan = await files.plan(toArrived(opened), true);
  const put = plan.put.map(({ path }) => path);
  const settings = await store.settings.load();
  const { own, refusal } = await toOwn(
    copies,
    { projectId: project.projectId, settings, now, note: {}, known: () => undefined },
    () => toChosen(model, settings, deps),
    deps,
  );
  return {
    relation,
    project: project.name,
    created: put.filter(files.isFree),
    overwritten: put.filter((path) => !files.isFree(path)),
    removed: [...plan.remove],
    conflicts: [...plan.kept],
    approvalsEnded: grants,
    model: {
      from: modelNameOf(root.record.model),
      to: own ? modelNameOf(own.model) : '',
      hasKey: own ? await hasKey(own.model, deps) : false,
    },
    approval: {
      from: root.record.tools.approval,
      to: own?.tools.approval ?? settings.tools.approval ?? 'ask',
    },
    artifactsDir: root.record.tools.artifactsDir,
    refusal: (await findRefusal(opened, relation, deps)) ?? refusal,
  };
}

function toChosen(name: string | undefined, settings: Settings, { env }: AdoptDeps): RunModel | undefined {
  return name === undefined ? undefined : chooseModel({ model: name }, settings, env);
}

/** The record of the root as it would be here, or why it cannot be. */
async function toOwn(
  copies: OpenedBundle['copies'],
  place: OwnPlace,
  choose: () => RunModel | undefined,
  { store }: AdoptDeps,
): Promise<{ readonly own?: WorkRecord | undefined; readonly refusal?: string | undefined }> {
  try {
    const [own] = copies.map((copy) => toOwnCopy(copy, { ...place, model: choose() }).record);
    return { own, refusal: await refusalOf(async () => own && requireModel(own.model, store)) };
  } catch (error) {
    if (error instanceof CrewError) return { refusal: error.message };
    throw error;
  }
}

async function refusalOf(check: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof CrewError) return error.message;
    throw error;
  }
}

async function hasKey(
  model: OpenedBundle['copies'][number]['record']['model'],
  deps: AdoptDeps,
): Promise<boolean> {
  if (model.kind !== 'provider') return true;
  try {
    return (await findApiKeys(model, deps.env, createKeyReader(deps))).list.length > 0;
  } catch (error) {
    // The variable that the settings name is not set.
    if (error instanceof CrewError) return false;
    throw error;
  }
}

const RELATIONS = {
  same: 'This store has all of the run already.',
  older: 'The run went on here: the copy in this store is further than the file.',
  diverged:
    'The run went on here and elsewhere, so that neither copy continues the other. Delete the one here first, or keep it.',
} as const;

/** Why the run cannot be continued here, whatever the person accepts. */
async function findRefusal(
  { copies, shown, bundle }: OpenedBundle,
  relation: BundlePlan['relation'],
  { store: { works, policy } }: OpenDeps,
): Promise<string | undefined> {
  if (relation === 'same' || relation === 'older' || relation === 'diverged') return RELATIONS[relation];
  const missing = shown.packages.find(({ isInside, isInstalled }) => !isInside && !isInstalled);
  if (missing) {
    const { name, version, hash } = missing;
    return `The package "${name}" ${version} (${hash.slice(0, 12)}) is neither in the file nor installed. Install it first.`;
  }
  for (const { signature, ...one } of bundle.packages) {
    const forbidden = await refusalOf(() => requirePackage(policy, { ...one, signature }));
    if (forbidden !== undefined) return forbidden;
  }
  for (const { record } of copies) {
    const here = await findHere(works, record.workId);
    if (here && (await works.isLeased(here))) return 'The run is open here. Stop it first.';
  }
  return undefined;
}

/** Throws TRANSFER_REFUSED, FILE_CONFLICT or SIGNER_CHANGED before anything changes. */
export async function adoptBundle(
  opened: OpenedBundle,
  { project, from, model, ...choice }: AdoptRequest,
  deps: AdoptDeps,
): Promise<Adopted> {
  const { shown } = opened;
  const { adoptions, now } = deps;
  const { keepFiles = false, acceptsSigner = false, acceptsUnproved = false } = choice;
  const { refusal } = await planAdoption(opened, project, model, deps);
  if (refusal !== undefined) throw new CrewError('TRANSFER_REFUSED', refusal);
  requireAccepted(shown.work.title, shown.signer, acceptsSigner);
  for (const { name, signer, isInside, isInstalled } of shown.packages)
    if (isInside && !isInstalled) requireAccepted(name, signer, acceptsSigner);
  if (shown.requests.unproved.length > 0 && !acceptsUnproved) throw unproved(shown.requests.unproved.length);
  await (await openFiles(project, deps)).plan(toArrived(opened), keepFiles);
  const chosen = toChosen(model, await deps.store.settings.load(), deps);
  const at = now().toISOString();
  const order: Order = {
    ...{ format: 1, projectId: project.projectId, from, at, tempName: `.${randomUUID()}` },
    ...(chosen ? { model: chosen } : {}),
  };
  return withDiskErrors('Could not store the run', async () => {
    await createFolders(adoptions);
    const arriving = join(adoptions, stagingName(RECEIVING));
    const folder = join(adoptions, stagingName(ADOPTING));
    active.add(folder);
    try {
      try {
        await mkdir(arriving, { mode: 0o700 });
        await replaceFile(join(arriving, FILE), (write) => copyTo(opened.path, write));
        await replaceFile(join(arriving, ORDER), JSON.stringify(order));
        await syncFolder(arriving);
        await renameEntry(arriving, folder);
      } finally {
        await removeTree(arriving);
      }
      return await complete(folder, deps);
    } finally {
      active.delete(folder);
    }
  });
}

function unproved(count: number): CrewError {
  return new CrewError(
    'TRANSFER_REFUSED',
    `${count} of its requests cannot be rebuilt as the log says that they were sent: another version of crewagent wrote them, or somebody changed the file. Continue it only if you trust who sent it, and accept that: with --accept-unproved, or on the page.`,
  );
}

const [FILE, ORDER] = ['run.crewrun', 'order.json'];
const [RECEIVING, ADOPTING] = ['receiving', 'adopting'];

/** Folders that this process is working on. */
const active = new Set<string>();

const orderSchema = z.strictObject({
  format: z.literal(1),
  projectId: z.uuid(),
  from: z.string(),
  at: z.iso.datetime(),
  /** Of files of the project that are being written. */
  tempName: z.string().check(z.regex(/^\.[0-9a-f-]{36}$/)),
  /** That the person chose. */
  model: z.optional(runModelSchema),
});
type Order = z.infer<typeof orderSchema>;

/** Completes what processes that died, or found a full disk, had begun. Throws DISK if there is still no room. */
export async function finishAdoptions(deps: AdoptDeps): Promise<void> {
  const { adoptions } = deps;
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
        await withDiskErrors('Could not store the run', () => complete(folder, deps));
    } catch (error) {
      // The copy here went on, or its project is gone: it stays as it is.
      if (!(error instanceof CrewError) || error.code === 'DISK' || error.code === 'RUN_LOCKED') throw error;
      await removeTree(folder);
    } finally {
      active.delete(folder);
    }
  }
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

/** Each step is one that was done already, or done now: repeated, it leads to the same. */
async function complete(folder: string, deps: AdoptDeps): Promise<Adopted> {
  const { store } = deps;
  const order = orderSchema.parse(JSON.parse(await readFile(join(folder, ORDER), 'utf8')));
  const handle = await open(join(folder, FILE));
  try {
    const verified = await verifyBundle(handle);
    const { copies } = verified;
    const workId = copies[0]?.record.workId ?? '';
    const relation = (await findHere(store.works, workId)) ? await compareHere(copies, store.works) : 'newer';
    const files = relation === 'newer' ? await adoptVerified(verified, order, deps) : NONE;
    await handle.close();
    await removeTree(folder);
    return { workId, ...files };
  } finally {
    await handle.close();
  }
}

const NONE = { written: [], kept: [] };

async function adoptVerified(
  verified: VerifiedBundle,
  { projectId, from, at, tempName, model }: Order,
  deps: AdoptDeps,
): Promise<Omit<Adopted, 'workId'>> {
  const { copies, bundle, read, zip } = verified;
  const { store, context } = deps;
  const { packages } = store;
  const project = await store.projects.read(projectId);
  for (const hash of packagesOf(copies.map(({ record }) => record))) {
    if (await packages.find(hash)) continue;
    const signature = bundle.packages.find((one) => one.hash === hash)?.signature;
    await installPackage(bundle.transfer, hash, read, { store, context, signature, signer: 'accept' });
  }
  const place = { projectId, note: { from }, model, now: () => new Date(at) };
  const adopt = await prepareAdoption(copies, place, store);
  const files = await openFiles(project, deps);
  const plan = await files.plan(toArrived(verified), true);
  await files.write(plan, read, tempName);
  await adopt();
  const name = toSignedName(copies[0]?.record.workId ?? '');
  await recordSigner(name, await signerOf(name, zip, packages), packages);
  return { written: [...plan.put.map(({ path }) => path), ...plan.remove], kept: plan.kept };
}

async function openFiles({ path }: Pick<Project, 'path'>, { store }: OpenDeps) {
  const { tools } = await store.settings.load();
  return openProjectFolder(path, createSecretCheck(tools.fs.secretPatterns));
}

/** A file that this project does not have is nobody's: it is written, whatever the run found. */
function toArrived({ bundle: { transfer }, copies }: VerifiedBundle) {
  const changed = toChangedPaths(copies.map(({ journal }) => journal));
  return {
    ...transfer,
    paths: new Map([...changed].map(([path, known]) => [path, new Set([...known, null])])),
  };
}

async function copyTo(path: string, write: WriteChunk): Promise<void> {
  for await (const chunk of createReadStream(path)) await write(chunk as Uint8Array);
}
