/**
 * Works in the memory of this process: the adapter for tests and for runs that are not saved. State documents and
 * before-images are real files in the `scratch` folder, since tools access them through mounts.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../../base/crew-error.ts';
import { type RunAddress, runBeside, toAddress, type WorkAddress } from '../work-address.ts';
import { openStoredJournal } from '../work-files/journal.ts';
import { openStateText, readCopiedImages } from '../work-files/journal-images.ts';
import { checkWork, nounOf, toNewWork, workNotFound } from '../work-records.ts';
import type {
  ListedWork,
  WorkCopy,
  WorkDraft,
  WorkFilter,
  WorkMaker,
  WorkStore,
  WorkWatch,
} from '../work-store.ts';
import { createMemoryJournal, type MemoryJournal } from './memory-journal.ts';
import { createMemoryLog, type MemoryLog } from './memory-log.ts';

interface StoredWork {
  record: WorkRecord;
  readonly log: MemoryLog;
  readonly journal: MemoryJournal;
  /** Contains the state document. */
  readonly folder: string;
  isLeased: boolean;
  readonly stopListeners: Set<() => void>;
}

export function createMemoryWorks(scratch: string): WorkStore {
  const works = new Map<string, StoredWork>();
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const onChange of listeners) onChange();
  };

  const add = (work: Omit<StoredWork, 'isLeased' | 'stopListeners'>): void =>
    void works.set(work.record.workId, { ...work, isLeased: false, stopListeners: new Set() });

  const get = (address: WorkAddress): StoredWork => {
    const found = works.get(address.workId);
    const isSame =
      found?.record.projectId === address.projectId && toAddress(found.record).isRun === address.isRun;
    if (!found || !isSame) throw workNotFound(address);
    return found;
  };

  const create = async (draft: WorkDraft, maker: WorkMaker): Promise<WorkRecord> => {
    const { record, state, firstFacts } = await toNewWork(draft, maker);
    const { now, publishing = (act) => act() } = maker;
    const folder = join(scratch, record.workId);
    await mkdir(join(folder, 'state'), { recursive: true, mode: 0o700 });
    if (state !== undefined) await writeFile(join(folder, 'state', 'workflow.md'), state);
    const log = createMemoryLog(record.workId);
    for (const fact of firstFacts) log.open({ now }).append(fact);
    await publishing(async () => {
      add({ record, log, journal: createMemoryJournal(), folder });
    });
    notify();
    return record;
  };

  const adopt: WorkStore['adopt'] = async (
    copy,
    { publishing = (act: () => Promise<void>) => act() } = {},
  ) => {
    const record = checkWork(copy.record);
    const { workId } = record;
    if (works.get(workId)?.isLeased) throw locked(toAddress(record));
    const folder = join(scratch, workId);
    await writeState(folder, copy);
    const log = createMemoryLog(workId, copy.events);
    const journal = createMemoryJournal(copy.journal, await Promise.all(copy.images.map(copy.read)));
    await publishing(async () => {
      add({ record, log, journal, folder });
    });
    notify();
  };

  return {
    isThrowaway: true,
    create: create as WorkStore['create'],
    read: (async (address) => get(address).record) as WorkStore['read'],
    async update<Entry extends WorkRecord>(address: WorkAddress, change: (record: Entry) => Entry) {
      const found = get(address);
      found.record = checkWork(change(found.record as Entry));
      notify();
      return found.record as Entry;
    },
    async remove(address, children = childrenOf(works, address)) {
      const removed = [...children.filter(({ workId }) => works.has(workId)), address].map(get);
      if (removed.some(({ isLeased }) => isLeased)) throw locked(address);
      for (const { record, folder } of removed) {
        works.delete(record.workId);
        await rm(folder, { recursive: true, force: true });
      }
      notify();
    },
    children: async (address) => childrenOf(works, address),

    addresses: async (filter) => listWorks(works, filter).map(addressOf),
    list: async (filter) => listWorks(works, filter),
    async find(workId) {
      const found = works.get(workId);
      if (found) return toAddress(found.record);
      throw new CrewError('WORK_NOT_FOUND', 'There is no run or conversation with this id any more.');
    },
    watch: () => watchList(() => listWorks(works), listeners),

    ...createLeases(get),
    isLeased: async ({ workId }) => works.get(workId)?.isLeased ?? false,
    tidy: () => Promise.resolve(),
    sweep: () => Promise.resolve(),

    openLog: async (address, options) => get(address).log.open(options),
    readLog: async ({ workId }, onEvent) => (works.get(workId)?.log ?? EMPTY_LOG).read(onEvent),
    logMark: async ({ workId }) => works.get(workId)?.log.mark(),
    tailLog: ({ workId }) => (works.get(workId)?.log ?? EMPTY_LOG).tail(),
    pageLog: ({ workId }) => (works.get(workId)?.log ?? EMPTY_LOG).pages(),

    stateFolder: (address) => Promise.resolve(join(scratch, address.workId, 'state')),
    viewsFolder: (address) => join(scratch, address.workId, 'views'),
    openState: (address) => openStateText(join(scratch, address.workId, 'state'), { isThrowaway: true }),
    openJournal: (address, options) => openStoredJournal(get(address).journal, options),
    readImages: async (address, query) => readCopiedImages(get(address).journal.copy(), query),
    readJournal: async (address) => get(address).journal.copy(),
    adopt,
  };
}

function createLeases(
  get: (address: WorkAddress) => StoredWork,
): Pick<WorkStore, 'lease' | 'requestStop' | 'watchStop'> {
  return {
    async lease(address) {
      const found = get(address);
      if (found.isLeased) throw locked(address);
      found.isLeased = true;
      return {
        release: async () => {
          found.isLeased = false;
        },
      };
    },
    async requestStop(address) {
      for (const onStop of get(address).stopListeners) onStop();
    },
    async watchStop(address, onStop) {
      const { stopListeners } = get(address);
      stopListeners.add(onStop);
      return () => stopListeners.delete(onStop);
    },
  };
}

/** The state of a copy, in place of what is there. */
async function writeState(folder: string, { state, read }: WorkCopy): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const write = async (path: string, content: string | Uint8Array): Promise<void> => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, content);
  };
  for (const [path, sha256] of state) await write(join(folder, 'state', path), await read(sha256));
}

function listWorks(
  works: ReadonlyMap<string, StoredWork>,
  { projectId, isRun: isRunWanted }: WorkFilter = {},
): ListedWork[] {
  return [...works.values()]
    .map(({ record }) => ({ ...toAddress(record), record }))
    .filter(
      (work) =>
        (projectId === undefined || work.projectId === projectId) &&
        (isRunWanted === undefined || work.isRun === isRunWanted),
    )
    .sort((a, b) => (a.workId < b.workId ? 1 : -1));
}

function addressOf({ projectId, workId, isRun: isRunWork }: ListedWork): WorkAddress {
  return { projectId, workId, isRun: isRunWork };
}

function childrenOf(
  works: ReadonlyMap<string, StoredWork>,
  { projectId, workId }: WorkAddress,
): RunAddress[] {
  const runs = listWorks(works, { projectId, isRun: true }).flatMap(({ record }) => record ?? []);
  const owned = runs.filter(({ parentId }) => parentId === workId);
  const roots = new Set([workId, ...owned.map((run) => run.workId)]);
  const called = runs.filter((run) => !owned.includes(run) && run.call && roots.has(run.call.rootId));
  return [...owned, ...called].map((run) => runBeside(run, run.workId));
}

const EMPTY_LOG = createMemoryLog('');

function locked(address: WorkAddress): CrewError {
  const message = `This process is working on this ${nounOf(address)}; wait for it, or stop it first.`;
  return new CrewError('RUN_LOCKED', message, { details: { pid: process.pid } });
}

/** Records are immutable, so a different object means a changed record. */
function watchList(list: () => ListedWork[], listeners: Set<() => void>): WorkWatch {
  let before = new Map<string, ListedWork>();
  return {
    async poll() {
      const now = new Map(list().map((work) => [work.workId, work]));
      const changed = [...now.values()].filter((work) => before.get(work.workId)?.record !== work.record);
      const removed = [...before.values()].filter(({ workId }) => !now.has(workId)).map(addressOf);
      before = now;
      return { changed, removed };
    },
    list: () => [...before.values()],
    subscribe(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
  };
}
