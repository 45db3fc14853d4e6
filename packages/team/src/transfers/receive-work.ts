/**
 * Takes over a Work that a person sent: its files are merged into the project like those of any Work, and all of it is stored by one
 * transaction. A copy that is here goes on where the sender's ends, or the order is refused.
 */
import {
  CrewError,
  combineRelations,
  compareLogs,
  packagesOf,
  readEvents,
  toChangedPaths,
  toOwnCopy,
  unpackWorks,
} from '@crewagent/core';
import type { Store, WorkCopy } from '@crewagent/core/store';
import { toAddress } from '@crewagent/core/store';
import type { Person } from '@crewagent/protocol/api/accounts';
import type { JournalRecord } from '@crewagent/protocol/journal';
import { parseJson } from '@crewagent/protocol/json-object';
import { type Transfer, type TransferredFile, transferSchema } from '@crewagent/protocol/transfer';
import type { WorkRecord } from '@crewagent/protocol/work';
import type { Queries } from '../database/database.ts';
import type { Claims } from '../queue/claims.ts';
import { type GiveUpParts, giveUp, LONGER_THAN_A_CLAIM, takeSoon } from '../queue/use-tree.ts';
import { adoptWorkRows, storeContents } from '../works/adopt-work.ts';
import { changeProject, type ProjectParts } from '../workspaces/change-project.ts';
import { addConflicts } from '../workspaces/conflicts.ts';
import type { Changes, ProjectEntry } from '../workspaces/project-entry.ts';
import { parseSource } from '../workspaces/project-source.ts';
import { requirePaths, type Tree } from '../workspaces/project-tree.ts';
import type { OwnContents } from './own-contents.ts';

export interface TransferParts extends ProjectParts {
  readonly store: Store;
  readonly own: OwnContents;
  readonly claims: Claims;
  readonly queue: GiveUpParts['queue'];
}

export interface Order {
  readonly projectId: string;
  /** Hash of the description of the Work. */
  readonly transfer: string;
  readonly person: Person;
}

export interface Received {
  readonly workId: string;
  readonly isNew: boolean;
  readonly conflicts: number;
}

export async function receiveWork(parts: TransferParts, order: Order): Promise<Received> {
  const { projectId } = order;
  const { source } = await parts.versions.readHead(projectId);
  if (parseSource(source).kind === 'folder')
    throw new CrewError(
      'USAGE',
      'This project is a shared folder of the server. Choose another project of the team.',
    );
  const transfer = await readTransfer(parts, order);
  const copies = await unpackWorks(transfer, (sha256) => parts.blobs.get(sha256));
  await requirePackages(parts.store, copies);
  const [root] = copies;
  if (!root) throw new Error('a transfer has a Work');
  const { workId } = root.record;
  const known = await readKnown(parts.store, projectId, copies);
  if (!known.has(workId)) return takeOver(parts, order, { transfer, copies, known });
  // Of a server that died while it took the run over.
  const patienceMs = known.get(workId)?.phase === 'Running' ? undefined : LONGER_THAN_A_CLAIM;
  const claim = await takeSoon(parts.claims, workId, patienceMs);
  try {
    if (!(await isNewer(parts.store, copies, known))) return { workId, isNew: false, conflicts: 0 };
    return await takeOver(parts, order, { transfer, copies, known });
  } finally {
    await giveUp(claim, parts);
  }
}

async function readTransfer(
  { blobs, own }: TransferParts,
  { projectId, transfer }: Order,
): Promise<Transfer> {
  const requireAll = async (hashes: readonly string[]): Promise<void> => {
    const { length } = await own.missing(projectId, hashes);
    if (length > 0)
      throw new CrewError('TRANSFER_REFUSED', `${length} parts of the run have not arrived. Push it again.`);
  };
  await requireAll([transfer]);
  const parsed = transferSchema.safeParse(parseJson((await blobs.get(transfer))?.toString() ?? ''));
  if (!parsed.success)
    throw new CrewError(
      'TRANSFER_REFUSED',
      'The description of the run is not one that this version of crewagent knows.',
    );
  const { works, changed, others } = parsed.data;
  const hashes = works.flatMap(({ log, state, journal, images }) => [
    ...[...log, ...Object.values(state), ...images],
    ...(journal === undefined ? [] : [journal]),
  ]);
  await requireAll([...new Set([...hashes, ...[...changed, ...others].map(({ sha256 }) => sha256)])]);
  return parsed.data;
}

async function requirePackages({ packages }: Store, copies: readonly WorkCopy[]): Promise<void> {
  for (const hash of packagesOf(copies.map(({ record }) => record)))
    if (!(await packages.find(hash)))
      throw new CrewError('PACKAGE_NOT_FOUND', 'The package of the run is not installed on the team server.');
}

type KnownWorks = ReadonlyMap<string, WorkRecord>;

/** Works of the tree that are here. Ids are unique: a Work of another project is not this one. */
async function readKnown(
  { works }: Store,
  projectId: string,
  copies: readonly WorkCopy[],
): Promise<KnownWorks> {
  const known = new Map<string, WorkRecord>();
  for (const { record } of copies) {
    const address = await works.find(record.workId).catch((error: unknown) => {
      if (error instanceof CrewError && error.code === 'WORK_NOT_FOUND') return undefined;
      throw error;
    });
    if (!address) continue;
    if (address.projectId !== projectId)
      throw new CrewError(
        'WORK_DIVERGED',
        'The team server has this run in another project. Push it to that one.',
      );
    known.set(record.workId, await works.read(address));
  }
  return known;
}

/** Throws WORK_DIVERGED. */
async function isNewer({ works }: Store, copies: readonly WorkCopy[], known: KnownWorks): Promise<boolean> {
  const relations = await Promise.all(
    copies.map(async ({ record, events }) => {
      const here = known.get(record.workId);
      return here ? compareLogs(events, await readEvents(works, toAddress(here))) : ('newer' as const);
    }),
  );
  const relation = combineRelations(relations);
  if (relation !== 'diverged') return relation === 'newer';
  throw new CrewError(
    'WORK_DIVERGED',
    'The run went on on the team server, too, so that neither copy continues the other. Nothing was pushed. Delete one of them, then push or pull the other.',
  );
}

interface Arrived {
  readonly transfer: Transfer;
  readonly copies: readonly WorkCopy[];
  readonly known: KnownWorks;
}

async function takeOver(
  parts: TransferParts,
  { projectId, person }: Order,
  { transfer, copies, known }: Arrived,
): Promise<Received> {
  const { store, blobs, versions } = parts;
  const settings = await store.settings.load();
  const place = {
    projectId,
    settings,
    now: () => new Date(),
    note: { by: person.name },
    known: (workId: string) => known.get(workId),
  };
  const own = copies.map((copy) => toOwnCopy(copy, place));
  const stored = await Promise.all(
    own.map(async (copy) => ({ copy, inline: await storeContents(copy, blobs) })),
  );
  const rootId = own[0]?.record.workId ?? '';
  const { head } = await versions.readHead(projectId);
  const merging = await toMerging(parts, await versions.treeAt(projectId, head), { transfer, copies });
  const { conflicts } = await changeProject(parts, {
    ...{ projectId, rootId, madeBy: rootId, ...merging },
    async store(queries, added) {
      for (const { copy, inline } of stored) await adoptWorkRows(queries, copy, inline);
      await addConflicts(queries, { projectId, rootId }, added.conflicts);
      await recordArrival(queries, { projectId, rootId, version: added.version, personId: person.personId });
    },
  });
  return { workId: rootId, isNew: true, conflicts: conflicts.length };
}

/** What the project has was found or written by the Work: then the Work goes on from there. Otherwise from what it found first. */
async function toMerging(
  { blobs }: TransferParts,
  head: Tree,
  { transfer: { changed, deleted, others }, copies }: Pick<Arrived, 'transfer' | 'copies'>,
): Promise<{ readonly base: Tree; readonly ours: Changes }> {
  const journals = copies.map(({ journal }) => journal);
  const paths = toChangedPaths(journals);
  const base = new Map<string, ProjectEntry>();
  const ours = new Map<string, ProjectEntry | undefined>();
  for (const file of changed) if (paths.has(file.path)) ours.set(file.path, toEntry(file));
  for (const path of deleted) if (paths.has(path)) ours.set(path, undefined);
  for (const path of ours.keys()) {
    const theirs = head.get(path);
    const from = theirs && paths.get(path)?.has(theirs.sha256) ? theirs : findFirst(journals.flat(), path);
    if (from && (from === theirs || (await blobs.findMissing([from.sha256])).size === 0))
      base.set(path, from);
  }
  for (const file of others)
    if (!head.has(file.path) && !ours.has(file.path)) ours.set(file.path, toEntry(file));
  requirePaths(ours);
  return { base, ours };
}

function toEntry({ sha256, bytes, isExecutable }: TransferredFile): ProjectEntry {
  return { kind: 'file', sha256, bytes, ...(isExecutable ? { isExecutable } : {}) };
}

/** What the first change of a path found there. */
function findFirst(records: readonly JournalRecord[], path: string): ProjectEntry | undefined {
  const first = records.find((record) => 'path' in record && record.path === `@project/${path}`);
  const image = first && 'before' in first ? first.before : null;
  return image?.kept && image.kind === undefined
    ? { kind: 'file', sha256: image.sha256, bytes: image.bytes }
    : undefined;
}

interface Arrival {
  readonly projectId: string;
  readonly rootId: string;
  readonly version: number;
  readonly personId: string;
}

async function recordArrival(
  { write }: Queries,
  { projectId, rootId, version, personId }: Arrival,
): Promise<void> {
  await write(
    `insert into workspaces (root_id, project_id, base_version) values ($1, $2, $3)
     on conflict (root_id) do update set base_version = excluded.base_version`,
    [rootId, projectId, version],
  );
  await write('insert into work_starters (root_id, person_id) values ($1, $2) on conflict do nothing', [
    rootId,
    personId,
  ]);
}
