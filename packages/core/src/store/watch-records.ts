/**
 * All runs or conversations of a store, kept up to date by looking: whichever process changes a record, the next look sees
 * it. Looks only into folders that were marked as changed, and reads only records that are not what they were.
 */
import { stat } from 'node:fs/promises';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunRecord } from '@crewagent/protocol/run';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { mapLimit } from '../base/map-limit.ts';
import { type FolderMark, isUnchanged, readMark } from './change-marks.ts';
import { conversationsOf } from './find-conversations.ts';
import { type Listed, listAddresses, listProjectIds, type RecordKind, readListed } from './find-records.ts';
import { runsOf } from './find-runs.ts';
import type { ConversationAddress, RunAddress, StoreLayout } from './layout.ts';

export interface RecordWatch<Address, Entry> {
  /** What is different since the last look; the first look tells everything. */
  look(options?: LookOptions): Promise<RecordChanges<Address, Entry>>;
  /** As of the last look, the one that was made last first. */
  list(): readonly Listed<Address, Entry>[];
}

export interface LookOptions {
  /** Also looks at records that nobody marked as changed. */
  readonly isThorough?: boolean | undefined;
}

export interface RecordChanges<Address, Entry> {
  readonly changed: readonly Listed<Address, Entry>[];
  readonly removed: readonly Address[];
}

export function createRunWatch(store: StoreLayout): RecordWatch<RunAddress, RunRecord> {
  return createRecordWatch(store, runsOf(store));
}

export function createConversationWatch(
  store: StoreLayout,
): RecordWatch<ConversationAddress, ConversationRecord> {
  return createRecordWatch(store, conversationsOf(store));
}

const LANES = 16;

interface Seen<Address, Entry> {
  readonly stamp: string;
  readonly found: Listed<Address, Entry>;
}

/** What a project holds of one kind, by id. */
interface SeenFolder<Address, Entry> {
  readonly mark: FolderMark;
  readonly records: ReadonlyMap<string, Seen<Address, Entry>>;
}

const NO_CHANGES = { changed: [], removed: [] } as const;

function createRecordWatch<Address, Entry>(
  store: StoreLayout,
  kind: RecordKind<Address, Entry>,
): RecordWatch<Address, Entry> {
  type Folder = SeenFolder<Address, Entry>;
  let projects: FolderMark | undefined;
  let folders: ReadonlyMap<string, Folder> = new Map();
  let sorted: readonly Listed<Address, Entry>[] = [];
  let looking: Promise<RecordChanges<Address, Entry>> | undefined;

  const lookOnce = async ({ isThorough = false }: LookOptions): Promise<RecordChanges<Address, Entry>> => {
    const mark = await readMark(store.projects);
    if (!isThorough && isUnchanged(projects, mark)) return NO_CHANGES;
    const changed: Listed<Address, Entry>[] = [];
    const next = new Map<string, Folder>();
    for (const projectId of await listProjectIds(store)) {
      const before = folders.get(projectId);
      const folder = await readMark(kind.folderOf(projectId));
      const isKnown = before !== undefined && !isThorough && isUnchanged(before.mark, folder);
      next.set(projectId, isKnown ? before : await lookInto(projectId, folder, before, changed));
    }
    const removed = [...removedFrom(folders, next)];
    projects = mark;
    folders = next;
    if (changed.length > 0 || removed.length > 0) sorted = sortNewestFirst(kind, next);
    return { changed, removed };
  };

  const lookInto = async (
    projectId: string,
    mark: FolderMark,
    before: Folder | undefined,
    changed: Listed<Address, Entry>[],
  ): Promise<Folder> => {
    const addresses = await listAddresses(store, kind, { projectId });
    const seen = await mapLimit(addresses, LANES, async (address) => {
      const stamp = await stampOf(kind.pathsOf(address).record);
      const known = before?.records.get(kind.idOf(address));
      if (known?.stamp === stamp) return known;
      const found = await readListed(kind, address);
      if (found) changed.push(found);
      return found && { stamp, found };
    });
    const records = seen.flatMap((entry) => (entry ? [[kind.idOf(entry.found), entry] as const] : []));
    return { mark, records: new Map(records) };
  };

  return {
    look(options = {}) {
      looking ??= lookOnce(options).finally(() => {
        looking = undefined;
      });
      return looking;
    },
    list: () => sorted,
  };
}

function* removedFrom<Address, Entry>(
  before: ReadonlyMap<string, SeenFolder<Address, Entry>>,
  now: ReadonlyMap<string, SeenFolder<Address, Entry>>,
): Generator<Listed<Address, Entry>> {
  for (const [projectId, { records }] of before) {
    const left = now.get(projectId)?.records;
    if (left === records) continue;
    for (const [id, { found }] of records) if (!left?.has(id)) yield found;
  }
}

/** Ids sort by the time they were made. */
function sortNewestFirst<Address, Entry>(
  { idOf }: RecordKind<Address, Entry>,
  folders: ReadonlyMap<string, SeenFolder<Address, Entry>>,
): Listed<Address, Entry>[] {
  return [...folders.values()]
    .flatMap(({ records }) => [...records.values()].map(({ found }) => found))
    .sort((a, b) => (idOf(a) < idOf(b) ? 1 : -1));
}

/** Changes whenever the record is replaced. */
async function stampOf(file: string): Promise<string> {
  return withDiskErrors('Could not look at a record', async () => {
    try {
      const { ino, size, mtimeNs } = await stat(file, { bigint: true });
      return `${ino}:${size}:${mtimeNs}`;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return 'missing';
      throw error;
    }
  });
}
