/**
 * An up-to-date list of all runs and conversations of a store. Each poll finds changes by any process; it only lists folders
 * that were marked as changed, and only reads records whose file was replaced.
 */
import { setImmediate } from 'node:timers/promises';
import { withDiskErrors } from '../../base/errno.ts';
import { mapLimit } from '../../base/map-limit.ts';
import type { WorkAddress } from '../work-address.ts';
import type { ListedWork, PollOptions, WorkChanges, WorkWatch } from '../work-store.ts';
import { type FileMark, isUnchanged, readMark, readStamp, watchMarks } from './change-marks.ts';
import { listAddresses, listProjectIds, readListed } from './find-works.ts';
import type { StoreLayout } from './layout.ts';
import { createShareParts } from './shared-parts.ts';

const CONCURRENCY = 16;
/** Checks without a pause take about a millisecond. */
const CHECKED_AT_ONCE = 300;

interface CachedWork {
  readonly stamp: string | undefined;
  readonly found: ListedWork;
}

/** Works in one folder of runs or of conversations, by id. */
interface CachedFolder {
  readonly mark: FileMark;
  readonly works: ReadonlyMap<string, CachedWork>;
}

const NO_CHANGES: WorkChanges = { changed: [], removed: [] };

export function createWorkWatch(store: StoreLayout): WorkWatch {
  let projects: FileMark | undefined;
  let folders: ReadonlyMap<string, CachedFolder> = new Map();
  /** Undefined after a change. */
  let sorted: readonly ListedWork[] | undefined;
  let polling: Promise<WorkChanges> | undefined;
  const shareParts = createShareParts();

  const readChanges = async ({ isThorough = false }: PollOptions): Promise<WorkChanges> => {
    const mark = await readMark(store.projectsFolder);
    if (!isThorough && isUnchanged(projects, mark)) return NO_CHANGES;
    const changed: ListedWork[] = [];
    const next = new Map<string, CachedFolder>();
    for (const projectId of await listProjectIds(store)) {
      for (const isRun of [false, true]) {
        const folder = store.worksFolder(projectId, isRun);
        const before = folders.get(folder);
        const folderMark = await readMark(folder);
        const isKnown = before !== undefined && !isThorough && isUnchanged(before.mark, folderMark);
        const works = isKnown ? before.works : await readFolder({ projectId, isRun }, before, changed);
        next.set(folder, { mark: folderMark, works });
      }
    }
    const removed = [...removedFrom(folders, next)];
    projects = mark;
    folders = next;
    if (changed.length > 0 || removed.length > 0) sorted = undefined;
    return { changed, removed };
  };

  const readFolder = async (
    filter: Pick<WorkAddress, 'projectId' | 'isRun'>,
    before: CachedFolder | undefined,
    changed: ListedWork[],
  ): Promise<CachedFolder['works']> => {
    const works = new Map<string, CachedWork>();
    const stale: { readonly address: WorkAddress; readonly stamp: string | undefined }[] = [];
    const addresses = await listAddresses(store, filter);
    const folder = store.worksFolder(filter.projectId, filter.isRun);
    await withDiskErrors('Could not check a record', async () => {
      for (const [index, address] of addresses.entries()) {
        const stamp = readStamp(store.recordIn(folder, address));
        const known = before?.works.get(address.workId);
        if (known && known.stamp === stamp) works.set(address.workId, known);
        else stale.push({ address, stamp });
        if (index % CHECKED_AT_ONCE === 0) await setImmediate();
      }
    });
    await mapLimit(stale, CONCURRENCY, async ({ address, stamp }) => {
      const listed = await readListed(store, address);
      if (!listed) return;
      const found = listed.record ? { ...listed, record: shareParts(listed.record) } : listed;
      changed.push(found);
      works.set(address.workId, { stamp, found });
    });
    return works;
  };

  return {
    poll(options = {}) {
      polling ??= readChanges(options).finally(() => {
        polling = undefined;
      });
      return polling;
    },
    list() {
      sorted ??= sortNewestFirst(folders);
      return sorted;
    },
    subscribe: (onChange) => watchMarks(store, onChange),
  };
}

function* removedFrom(
  before: ReadonlyMap<string, CachedFolder>,
  now: ReadonlyMap<string, CachedFolder>,
): Generator<ListedWork> {
  for (const [folder, { works }] of before) {
    const left = now.get(folder)?.works;
    if (left === works) continue;
    for (const [id, { found }] of works) if (!left?.has(id)) yield found;
  }
}

/** Ids sort by time of creation. */
function sortNewestFirst(folders: ReadonlyMap<string, CachedFolder>): ListedWork[] {
  return [...folders.values()]
    .flatMap(({ works }) => [...works.values()].map(({ found }) => found))
    .sort((a, b) => (a.workId < b.workId ? 1 : -1));
}
