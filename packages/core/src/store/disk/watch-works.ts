/**
 * All runs and conversations of a store, kept up to date by looking: whichever process changes a record, the next look sees
 * it. Looks only into folders that were marked as changed, and reads only records that are not what they were.
 */
import { stat } from 'node:fs/promises';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';
import { mapLimit } from '../../base/map-limit.ts';
import type { WorkAddress } from '../work-address.ts';
import type { ListedWork, LookOptions, WorkChanges, WorkWatch } from '../work-store.ts';
import { type FolderMark, isUnchanged, readMark } from './change-marks.ts';
import { listAddresses, listProjectIds, readListed } from './find-works.ts';
import type { StoreLayout } from './layout.ts';

const LANES = 16;

interface Seen {
  readonly stamp: string;
  readonly found: ListedWork;
}

/** What a folder of runs or of conversations holds, by id. */
interface SeenFolder {
  readonly mark: FolderMark;
  readonly works: ReadonlyMap<string, Seen>;
}

const NO_CHANGES: WorkChanges = { changed: [], removed: [] };

export function createWorkWatch(store: StoreLayout): WorkWatch {
  let projects: FolderMark | undefined;
  let folders: ReadonlyMap<string, SeenFolder> = new Map();
  let sorted: readonly ListedWork[] = [];
  let looking: Promise<WorkChanges> | undefined;

  const lookOnce = async ({ isThorough = false }: LookOptions): Promise<WorkChanges> => {
    const mark = await readMark(store.projects);
    if (!isThorough && isUnchanged(projects, mark)) return NO_CHANGES;
    const changed: ListedWork[] = [];
    const next = new Map<string, SeenFolder>();
    for (const projectId of await listProjectIds(store)) {
      for (const isRun of [false, true]) {
        const folder = store.worksFolder(projectId, isRun);
        const before = folders.get(folder);
        const folderMark = await readMark(folder);
        const isKnown = before !== undefined && !isThorough && isUnchanged(before.mark, folderMark);
        const works = isKnown ? before.works : await lookInto({ projectId, isRun }, before, changed);
        next.set(folder, { mark: folderMark, works });
      }
    }
    const removed = [...removedFrom(folders, next)];
    projects = mark;
    folders = next;
    if (changed.length > 0 || removed.length > 0) sorted = sortNewestFirst(next);
    return { changed, removed };
  };

  const lookInto = async (
    filter: Pick<WorkAddress, 'projectId' | 'isRun'>,
    before: SeenFolder | undefined,
    changed: ListedWork[],
  ): Promise<SeenFolder['works']> => {
    const seen = await mapLimit(await listAddresses(store, filter), LANES, async (address) => {
      const stamp = await stampOf(store.work(address).record);
      const known = before?.works.get(address.workId);
      if (known?.stamp === stamp) return known;
      const found = await readListed(store, address);
      if (found) changed.push(found);
      return found && { stamp, found };
    });
    return new Map(seen.flatMap((entry) => (entry ? [[entry.found.workId, entry] as const] : [])));
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

function* removedFrom(
  before: ReadonlyMap<string, SeenFolder>,
  now: ReadonlyMap<string, SeenFolder>,
): Generator<ListedWork> {
  for (const [folder, { works }] of before) {
    const left = now.get(folder)?.works;
    if (left === works) continue;
    for (const [id, { found }] of works) if (!left?.has(id)) yield found;
  }
}

/** Ids sort by the time they were made. */
function sortNewestFirst(folders: ReadonlyMap<string, SeenFolder>): ListedWork[] {
  return [...folders.values()]
    .flatMap(({ works }) => [...works.values()].map(({ found }) => found))
    .sort((a, b) => (a.workId < b.workId ? 1 : -1));
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
