/**
 * Takes a Work of a team server over into this store. What was downloaded before an interruption is not downloaded again; the Work and its
 * files change when everything has arrived and was verified, all together (`adoptions.ts`).
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transfer } from '@crewagent/protocol/transfer';
import { CrewError } from '../base/crew-error.ts';
import { createFolders, renameEntry, replaceFile } from '../base/durable-files.ts';
import { ifPresent, withDiskErrors } from '../base/errno.ts';
import { removeTree } from '../base/remove-tree.ts';
import { sha256Of } from '../base/sha256.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { requireAllowed } from '../policy/restrict.ts';
import { chooseWork } from '../store/find-works.ts';
import type { Store } from '../store/store.ts';
import type { WorkAddress } from '../store/work-address.ts';
import type { WorkCopy } from '../store/work-store.ts';
import { compareHere, findHere } from './adopt-works.ts';
import { CONTENTS, completePull, openFilesOf, orderAdoption, toPaths } from './adoptions.ts';
import { type Contents, packWorks } from './pack-works.ts';
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
  /** Id of a Work of this store, or of the server: there its beginning or end is enough. */
  readonly work: string;
  /** Folder of the project for a Work that is not in this store; one that is stays in its project. */
  readonly projectPath: string;
  /** Also files that the Work did not change, if this project lacks them. */
  readonly allFiles?: boolean | undefined;
  /** Files that were changed here stay as they are. */
  readonly keepFiles?: boolean | undefined;
  /** Folders of this store for what arrives, and for what is being adopted. */
  readonly arrivals: string;
  readonly adoptions: string;
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
  const { arrivals } = request;
  const client = createTeamClient(request);
  requireAllowed(await deps.store.policy.read(), { kind: 'address', address: new URL(client.url) });
  const { url } = client;
  return withServerErrors(url, async () => {
    const workId = await findThere(client, request.work);
    const transfer = await client.team.transfers.show({
      workId,
      query: request.allFiles ? { all: 'true' } : {},
    });
    const local = await findHere(deps.store.works, workId);
    const contents: Contents = local ? (await packWorks(deps.store.works, local)).contents : new Map();
    const folder = join(arrivals, workId);
    const fetched = await fetchContents(client, workId, { transfer, contents, folder });
    const copies = await unpackWorks(transfer, (sha256) => ifPresent(readFile(join(folder, sha256))));
    const result = { workId, url, ...fetched };
    if (!(await isNewer(copies, deps.store))) {
      await removeTree(folder);
      return { ...result, isNew: false, written: [], kept: [] };
    }
    const { written, kept } = await adopt({ request, transfer, copies, folder, local }, deps, url);
    return { ...result, isNew: true, written, kept };
  });
}

const WHOLE = 36;
/** Of a list; a person who has more gives the whole id. */
const [PAGE, PAGES] = [500, 40];

async function findThere({ api }: TeamClient, ref: string): Promise<string> {
  if (ref.length === WHOLE) return ref;
  const works: { readonly workId: string }[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const query = {
      archived: 'any',
      limit: String(PAGE),
      ...(after === undefined ? {} : { after }),
    } as const;
    const { works: found, next } = await api.works.list({ query });
    works.push(...found);
    after = next;
    if (next === undefined) break;
  }
  return chooseWork(works, ref).workId;
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
    if (await ifPresent(readFile(path))) return;
    const store = (content: Buffer): Promise<void> =>
      withDiskErrors('Could not store the run', () => replaceFile(path, content, 0o600));
    const own = await contents.get(hash)?.();
    if (own) return store(own);
    const response = await team.transfers.content({ workId, hash });
    const content = Buffer.from(await response.arrayBuffer());
    if (sha256Of(content) !== hash)
      throw new CrewError(
        'TRANSFER_REFUSED',
        'A part of the run was damaged on the way. Run the command again.',
      );
    await store(content);
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
  const relation = await compareHere(copies, works);
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
  readonly folder: string;
  readonly local: WorkAddress | undefined;
}

/** Everything that can be refused is refused before the order is there. */
async function adopt({ request, transfer, copies, folder, local }: Arrived, deps: TransferDeps, url: string) {
  const { projects, works } = deps.store;
  const { adoptions, keepFiles = false, now } = request;
  if (local && (await works.isLeased(local)))
    throw new CrewError('RUN_LOCKED', 'The run is open here. Stop it first, then pull it again.');
  const { projectId, path } = local
    ? await projects.read(local.projectId)
    : await projects.open(request.projectPath, { now, newId: createUuidV7(now) });
  await (await openFilesOf(path, deps.store)).plan({ ...transfer, paths: toPaths(copies) }, keepFiles);
  const order = { projectId, from: new URL(url).host, at: now().toISOString(), transfer };
  return orderAdoption(adoptions, order, {
    fill: (arriving) => renameEntry(folder, join(arriving, CONTENTS)),
    complete: completePull(deps),
  });
}
