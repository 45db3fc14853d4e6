/**
 * Takes a Work of a team server over into this store. What was downloaded before an interruption is not downloaded again; the Work and its
 * files change only when everything has arrived and was verified.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Transfer } from '@crewagent/protocol/transfer';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../base/crew-error.ts';
import { createFolders, replaceFile } from '../base/durable-files.ts';
import { ifPresent, withDiskErrors } from '../base/errno.ts';
import { removeTree } from '../base/remove-tree.ts';
import { sha256Of } from '../base/sha256.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { importPackage } from '../bmad/import-package.ts';
import { packFolder } from '../bmad/pack-package.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import type { Store } from '../store/store.ts';
import type { WorkAddress } from '../store/work-address.ts';
import type { WorkCopy } from '../store/work-store.ts';
import { toChangedPaths } from './changed-paths.ts';
import { combineRelations, compareLogs, type Relation } from './compare-works.ts';
import { toOwnCopy } from './own-copy.ts';
import { type Contents, packagesOf, packWorks, readEvents } from './pack-works.ts';
import { openProjectFolder, requireSafePath } from './project-files.ts';
import type { TransferDeps } from './push-work.ts';
import {
  createTeamClient,
  forEachContent,
  type TeamAddress,
  type TeamClient,
  withServerErrors,
} from './team-client.ts';
import { unpackWorks } from './unpack-works.ts';

export interface PullRequest extends TeamAddress {
  readonly workId: string;
  /** Folder of the project for a Work that is not in this store; one that is stays in its project. */
  readonly projectPath: string;
  /** Also files that the Work did not change, if this project lacks them. */
  readonly allFiles?: boolean | undefined;
  /** Files that were changed here stay as they are. */
  readonly keepFiles?: boolean | undefined;
  /** Folder of this store for what arrives. */
  readonly arrivals: string;
  readonly now: () => Date;
}

export interface Pulled {
  readonly workId: string;
  readonly url: string;
  /** False if this store has all of it already. */
  readonly isNew: boolean;
  readonly received: number;
  readonly bytes: number;
  readonly written: readonly string[];
  readonly kept: readonly string[];
}

export async function pullWork(request: PullRequest, deps: TransferDeps): Promise<Pulled> {
  const { workId, arrivals } = request;
  const client = createTeamClient(request);
  const { url } = client;
  return withServerErrors(url, async () => {
    const transfer = await client.team.transfers.show({
      workId,
      query: request.allFiles ? { all: 'true' } : {},
    });
    const local = await findLocal(deps.store, workId);
    const contents: Contents = local ? (await packWorks(deps.store.works, local)).contents : new Map();
    const folder = join(arrivals, workId);
    const fetched = await fetchContents(client, workId, { transfer, contents, folder });
    const read = async (sha256: string): Promise<Buffer | undefined> =>
      (await contents.get(sha256)?.()) ?? ifPresent(readFile(join(folder, sha256)));
    const copies = await unpackWorks(transfer, read);
    const result = { workId, url, ...fetched };
    if (!(await isNewer(copies, deps.store))) {
      await removeTree(folder);
      return { ...result, isNew: false, written: [], kept: [] };
    }
    const files = await store({ request, transfer, copies, read, local }, deps, url);
    await removeTree(folder);
    return { ...result, isNew: true, ...files };
  });
}

async function findLocal({ works }: Pick<Store, 'works'>, workId: string): Promise<WorkAddress | undefined> {
  try {
    return await works.find(workId);
  } catch (error) {
    if (error instanceof CrewError && error.code === 'WORK_NOT_FOUND') return undefined;
    throw error;
  }
}

interface Arriving {
  readonly transfer: Transfer;
  readonly contents: Contents;
  readonly folder: string;
}

async function fetchContents({ team }: TeamClient, workId: string, { transfer, contents, folder }: Arriving) {
  await createFolders(folder);
  let [received, bytes] = [0, 0];
  await forEachContent([...hashesOf(transfer)], async (hash) => {
    const path = join(folder, hash);
    if (contents.has(hash) || (await ifPresent(readFile(path)))) return;
    const response = await team.transfers.content({ workId, hash });
    const content = Buffer.from(await response.arrayBuffer());
    if (sha256Of(content) !== hash)
      throw new CrewError(
        'TRANSFER_REFUSED',
        'A part of the run was damaged on the way. Run the command again.',
      );
    await withDiskErrors('Could not store the run', () => replaceFile(path, content, 0o600));
    received++;
    bytes += content.length;
  });
  return { received, bytes };
}

function hashesOf({ works, changed, others, packages }: Transfer): Set<string> {
  return new Set([
    ...works.flatMap(({ log, state, journal, images }) => [
      ...log,
      ...Object.values(state),
      ...(journal === undefined ? [] : [journal]),
      ...images,
    ]),
    ...[...changed, ...others].map(({ sha256 }) => sha256),
    ...packages.flatMap(({ files }) => Object.values(files)),
  ]);
}

/** Throws WORK_DIVERGED. */
async function isNewer(copies: readonly WorkCopy[], { works }: Store): Promise<boolean> {
  const relations: Relation[] = [];
  for (const { record, events } of copies) {
    const local = await findLocal({ works }, record.workId);
    relations.push(local ? compareLogs(events, await readEvents(works, local)) : 'newer');
  }
  const relation = combineRelations(relations);
  if (relation !== 'diverged') return relation === 'newer';
  throw new CrewError(
    'WORK_DIVERGED',
    'The run went on here and on the team server, so that neither continues the other. Nothing was pulled. Delete one of them, then pull or push the other.',
  );
}

interface Arrived {
  readonly request: PullRequest;
  readonly transfer: Transfer;
  readonly copies: readonly WorkCopy[];
  readonly local: WorkAddress | undefined;
  read(sha256: string): Promise<Buffer | undefined>;
}

async function store({ request, transfer, copies, read, local }: Arrived, deps: TransferDeps, url: string) {
  const {
    store: { projects, works, settings: stored },
  } = deps;
  const { now } = request;
  const settings = await stored.load();
  const project = local
    ? await projects.read(local.projectId)
    : await projects.open(request.projectPath, { now, newId: createUuidV7(now) });
  const requireContent = async (sha256: string): Promise<Buffer> => (await read(sha256)) ?? Buffer.alloc(0);
  await installPackages(transfer, packagesOf(copies.map(({ record }) => record)), requireContent, deps);
  const folder = openProjectFolder(project.path, createSecretCheck(settings.tools.fs.secretPatterns));
  const paths = toChangedPaths(copies.map(({ journal }) => journal));
  const plan = await folder.plan({ ...transfer, paths }, request.keepFiles === true);
  const known = new Map<string, WorkRecord>();
  for (const { record } of copies) {
    const address = await findLocal(deps.store, record.workId);
    if (address) known.set(record.workId, await works.read(address));
  }
  const place = {
    projectId: project.projectId,
    settings,
    now,
    note: { from: new URL(url).host },
    known: (id: string) => known.get(id),
  };
  const own = copies.map((copy) => toOwnCopy(copy, place));
  await folder.write(plan, requireContent);
  // The root is last: until it is there, pulling again repeats all of it.
  for (const copy of own.toReversed())
    await works.adopt(copy, { publishing: (publish) => projects.whileStays(project.projectId, publish) });
  return { written: [...plan.put.map(({ path }) => path), ...plan.remove], kept: plan.kept };
}

async function installPackages(
  { packages }: Transfer,
  needed: ReadonlySet<string>,
  read: (sha256: string) => Promise<Buffer>,
  { store: { packages: installed }, context }: TransferDeps,
): Promise<void> {
  for (const hash of needed) {
    if (await installed.find(hash)) continue;
    const files = packages.find((one) => one.hash === hash)?.files ?? {};
    const scratch = await installed.makeScratch();
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
          'The package of the run was packed by another program, so that the server cannot give it again. Install its .bmad file here first, then pull.',
        );
      await importPackage(archive, { packages: installed }, context, { shown: 'the package of the run' });
    } finally {
      await scratch.remove();
    }
  }
}
