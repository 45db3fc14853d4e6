/**
 * Continues a run of a file in this store: what that would change, and the change itself. The file is put into the store with the order to
 * adopt it (`transfer/adoptions.ts`).
 */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundlePlan } from '@crewagent/protocol/api/bundles';
import { modelNameOf, type RunModel } from '@crewagent/protocol/model';
import type { Project } from '@crewagent/protocol/project';
import type { Settings } from '@crewagent/protocol/settings';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../base/crew-error.ts';
import { replaceFile, type WriteChunk } from '../base/durable-files.ts';
import { requirePackage } from '../bmad/signing/require-package.ts';
import { recordSigner, requireAccepted } from '../bmad/signing/signers.ts';
import { chooseModel, type Environment, findApiKeys } from '../session/models/choose-model.ts';
import { requireModel } from '../session/models/require-model.ts';
import { createKeyReader } from '../session/models/stored-keys.ts';
import type { SecretStore } from '../store/secret-store.ts';
import { compareHere, findHere } from '../transfer/adopt-works.ts';
import {
  type Adopted,
  adoptArrived,
  type Complete,
  completePull,
  openFilesOf,
  orderAdoption,
  toPaths,
} from '../transfer/adoptions.ts';
import { type OwnPlace, toOwnCopy } from '../transfer/own-copy.ts';
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
  const files = await openFilesOf(project.path, store);
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
  await (await openFilesOf(project.path, deps.store)).plan(toArrived(opened), keepFiles);
  const chosen = toChosen(model, await deps.store.settings.load(), deps);
  const order = {
    projectId: project.projectId,
    from,
    at: now().toISOString(),
    ...(chosen ? { model: chosen } : {}),
  };
  return orderAdoption(adoptions, order, {
    fill: (folder) => replaceFile(join(folder, FILE), (write) => copyTo(opened.path, write)),
    complete: completeBundle(deps),
  });
}

function unproved(count: number): CrewError {
  return new CrewError(
    'TRANSFER_REFUSED',
    `${count} of its requests cannot be rebuilt as the log says that they were sent: another version of crewagent wrote them, or somebody changed the file. Continue it only if you trust who sent it, and accept that: with --accept-unproved, or on the page.`,
  );
}

/** Beside the order. */
const FILE = 'run.crewrun';

function completeBundle(deps: AdoptDeps): Complete {
  return async (folder, order) => {
    const handle = await open(join(folder, FILE));
    try {
      const verified = await verifyBundle(handle);
      const { bundle, copies, zip } = verified;
      const { transfer } = bundle;
      const { paths } = toArrived(verified);
      const signatureOf = (hash: string) => bundle.packages.find((one) => one.hash === hash)?.signature;
      const arrived = { ...verified, transfer, paths, signatureOf, signer: 'accept' } as const;
      const adopted = await adoptArrived(arrived, order, deps);
      const { packages } = deps.store;
      const name = toSignedName(copies[0]?.record.workId ?? '');
      await recordSigner(name, await signerOf(name, zip, packages), packages);
      return adopted;
    } finally {
      await handle.close();
    }
  };
}

/** Completes files and pulls of processes that died. */
export function completeAdoption(deps: AdoptDeps): Complete {
  const [ofBundle, ofPull] = [completeBundle(deps), completePull(deps)];
  return (folder, order) => (order.transfer ? ofPull : ofBundle)(folder, order);
}

/** A file that this project does not have is nobody's: it is written, whatever the run found. */
function toArrived({ bundle: { transfer }, copies }: VerifiedBundle) {
  return {
    ...transfer,
    paths: new Map([...toPaths(copies)].map(([path, known]) => [path, new Set([...known, null])])),
  };
}

async function copyTo(path: string, write: WriteChunk): Promise<void> {
  for await (const chunk of createReadStream(path)) await write(chunk as Uint8Array);
}
