/**
 * Finding runs and conversations: all of them, or the one a person means. Reads names and records, never a log.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunRecord } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';
import { mapLimit } from '../../base/map-limit.ts';
import {
  type ConversationAddress,
  isStoreId,
  type RunAddress,
  type StoreLayout,
  type WorkAddress,
} from './layout.ts';
import { nounOf, readWork, workNotFound } from './work-record.ts';

export interface WorkFilter {
  readonly projectId?: string | undefined;
  /** Runs only, or conversations only; both if left out. */
  readonly isRun?: boolean | undefined;
}

interface Listing<Entry> {
  /** Undefined when it cannot be read; `problem` then says why. */
  readonly record?: Entry;
  readonly problem?: string;
}

export type ListedWork = WorkAddress & Listing<WorkRecord>;
export type ListedRun = RunAddress & Listing<RunRecord>;
export type ListedConversation = ConversationAddress & Listing<ConversationRecord>;

const LANES = 16;

/** The one that was made last first. A damaged one is listed as such. */
export async function listWorks(store: StoreLayout, filter: WorkFilter = {}): Promise<ListedWork[]> {
  const addresses = await listAddresses(store, filter);
  const found = await mapLimit(addresses, LANES, (address) => readListed(store, address));
  return found.filter((entry) => entry !== undefined);
}

export async function listRuns(
  store: StoreLayout,
  filter: Pick<WorkFilter, 'projectId'> = {},
): Promise<ListedRun[]> {
  return (await listWorks(store, { ...filter, isRun: true })) as ListedRun[];
}

export interface ConversationFilter extends Pick<WorkFilter, 'projectId'> {
  /** Those that were put away; left out, or false: all others. */
  readonly isArchived?: boolean | undefined;
}

/** The one something was said in last first. Damaged ones are last, as such, and count as not archived. */
export async function listConversations(
  store: StoreLayout,
  { isArchived = false, ...filter }: ConversationFilter = {},
): Promise<ListedConversation[]> {
  const found = (await listWorks(store, { ...filter, isRun: false })) as ListedConversation[];
  return found
    .filter(({ record }) => (record?.archivedAt !== undefined) === isArchived)
    .sort((a, b) => compare(b.record?.updatedAt ?? '', a.record?.updatedAt ?? ''));
}

/** Those of one moment stay in the order they were made. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Undefined when it was deleted a moment ago. */
export async function readListed(store: StoreLayout, address: WorkAddress): Promise<ListedWork | undefined> {
  const { folder, record } = store.work(address);
  try {
    return { ...address, record: await readWork(store, address) };
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    const isMissing = error.code === workNotFound(address).code;
    if (isMissing && !existsSync(folder)) return undefined;
    return { ...address, problem: isMissing ? `"${record}" is missing.` : error.message };
  }
}

/** Ids sort by the time they were made. */
export async function listAddresses(
  store: StoreLayout,
  { projectId, isRun }: WorkFilter,
): Promise<WorkAddress[]> {
  const what = isRun === undefined ? 'runs and conversations' : `${nounOf({ isRun })}s`;
  return withDiskErrors(`Could not list the ${what}`, async () => {
    const projects = projectId === undefined ? await listProjectIds(store) : [projectId];
    const folders = projects.flatMap((project) =>
      (isRun === undefined ? [true, false] : [isRun]).map((one) => ({ projectId: project, isRun: one })),
    );
    const lists = await mapLimit(folders, LANES, async (folder) =>
      (await idsIn(store.worksFolder(folder.projectId, folder.isRun))).map((workId) => ({
        ...folder,
        workId,
      })),
    );
    return lists.flat().sort((a, b) => compare(b.workId, a.workId));
  });
}

/** Of all projects that something is stored for. */
export async function listProjectIds(store: StoreLayout): Promise<string[]> {
  return withDiskErrors('Could not list the projects', () => idsIn(store.projects));
}

/** The one run meant by an id, its beginning or its end, or `last`. */
export async function resolveRun(store: StoreLayout, ref: string): Promise<RunAddress> {
  const runs = (await listAddresses(store, { isRun: true })) as RunAddress[];
  return requireOne(isLast(ref) ? runs.slice(0, 1) : matchId(runs, ref), ref, 'run');
}

/** The one conversation that is meant. An archived one is meant by its id only. */
export async function resolveConversation(
  store: StoreLayout,
  ref: string,
  filter: ConversationFilter = {},
): Promise<ConversationAddress> {
  const found = isLast(ref)
    ? (await listConversations(store, filter)).filter(({ record }) => record).slice(0, 1)
    : matchId((await listAddresses(store, { ...filter, isRun: false })) as ConversationAddress[], ref);
  const { projectId, workId, isRun } = requireOne(found, ref, 'conversation');
  return { projectId, workId, isRun };
}

/** The run or conversation that has this id. */
export async function findWork(store: StoreLayout, workId: string): Promise<WorkAddress> {
  if (isStoreId(workId)) {
    for (const projectId of await listProjectIds(store)) {
      for (const isRun of [true, false]) {
        const address = { projectId, workId, isRun };
        if (existsSync(store.work(address).folder)) return address;
      }
    }
  }
  throw new CrewError('WORK_NOT_FOUND', 'There is no run or conversation with this id any more.');
}

const SHORTEST = 4;

/** The ones whose id is `ref`, or begins or ends with it. Those of one minute have the same beginning. */
function matchId<Address extends WorkAddress>(addresses: readonly Address[], ref: string): Address[] {
  const wanted = toRef(ref);
  if (wanted.length < SHORTEST) return [];
  return addresses.filter(({ workId }) => workId.startsWith(wanted) || workId.endsWith(wanted));
}

function isLast(ref: string): boolean {
  return toRef(ref) === 'last';
}

function toRef(ref: string): string {
  return ref.trim().toLowerCase();
}

/** The one that is meant; none and several are refused. */
function requireOne<Address extends WorkAddress>(
  matches: readonly Address[],
  ref: string,
  noun: 'run' | 'conversation',
): Address {
  const isRun = noun === 'run';
  const [first] = matches;
  if (first === undefined) {
    throw new CrewError(
      isRun ? 'RUN_NOT_FOUND' : 'CONVERSATION_NOT_FOUND',
      isLast(ref)
        ? `There is no ${noun} yet.`
        : `No ${noun} matches "${ref}"; give its id, at least ${SHORTEST} characters of its beginning or end, or "last".`,
    );
  }
  if (matches.length > 1) {
    const ids = matches.map(({ workId }) => workId);
    const choices = ids.slice(0, 5).join(', ');
    throw new CrewError(
      isRun ? 'RUN_AMBIGUOUS' : 'CONVERSATION_AMBIGUOUS',
      `"${ref}" fits ${ids.length} ${noun}s (${choices}${ids.length > 5 ? ', …' : ''}); give more of the id.`,
      { details: { [`${noun}s`]: ids } },
    );
  }
  return first;
}

async function idsIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(isStoreId);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
