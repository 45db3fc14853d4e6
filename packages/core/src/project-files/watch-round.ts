/**
 * Watches a project from the first listener to the last: notices are collected until a quiet period, then reported. Too
 * many notices are reported as overflow; a project folder that vanishes is retried.
 */
import type { FileEvent, FileWatchMessage } from '@crewagent/protocol/api/files';
import { ifSystemAllows } from '../base/errno.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { isFileError } from '../mounts/sandbox-violation.ts';
import type { TreeEntry } from '../mounts/tree-entry.ts';
import { nameOf, parentOf } from './project-path.ts';
import {
  identityOf,
  type SystemLimits,
  TooManyFolders,
  type Touched,
  type TreeWatch,
  watchTree,
} from './watch-tree.ts';

export type WatchRound = ReturnType<typeof startWatchRound>;

interface WatchRoundOptions extends SystemLimits {
  readonly tree: MountedTree;
  notify(message: FileWatchMessage): void;
}

/** Quiet period before changes are reported. */
const QUIET_PERIOD_MS = 100;
/** Maximum delay of a message under load. */
const MAX_DELAY_MS = 500;
/** More changes are reported as overflow. */
const MAX_CHANGES = 500;
/** With this many notices the system may have dropped some. */
const MAX_NOTICES = 8_000;
/** Delay before watching is retried; increases while it fails. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
const ROOT: MountPath = { mount: '@project', segments: [] };

export function startWatchRound({ tree, notify, ...limits }: WatchRoundOptions) {
  const watcher = createTreeWatcher(tree, limits);
  let isWatching: boolean | undefined;
  let isEnded = false;
  let retryMs = RETRY_MS;
  let notices = createNotices();
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> = Promise.resolve();

  /** Runs one task at a time; a later task replaces one that has not begun. */
  const schedule = (delayMs: number, then: () => Promise<void>): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      work = work.then(() => (isEnded ? undefined : then()));
    }, delayMs);
    timer.unref();
  };

  const setWatching = (isOn: boolean): void => {
    if (!isEnded && isWatching !== isOn) notify({ type: 'watching', isWatching: isOn });
    isWatching = isOn;
  };

  const startWatching = (): Promise<boolean> =>
    watcher.start({
      onTouched: (touched) => {
        notices.add(touched);
        schedule(notices.msLeft(), flush);
      },
      onLost: () => schedule(0, flush),
    });

  const wait = async (): Promise<void> => {
    watcher.close();
    notices = createNotices();
    setWatching(false);
    schedule(retryMs, retry);
  };

  const retry = async (): Promise<void> => {
    const exists = projectIdentity(tree) !== '';
    if (exists && (await startWatching())) {
      retryMs = RETRY_MS;
      setWatching(true);
      notify({ type: 'overflow' });
      return;
    }
    // Retries back off: each attempt reads the whole project.
    if (exists) retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    schedule(retryMs, retry);
  };

  const flush = async (): Promise<void> => {
    const { watch } = watcher;
    if (!watch) return;
    if (!watcher.isValid()) return wait();
    const batch = notices;
    notices = createNotices();
    try {
      const changes = batch.isTooMuch() ? undefined : await collectEvents(batch.list(), { tree, watch });
      if (isEnded) return;
      if (changes && changes.length > 0) notify({ type: 'changes', changes });
      if (changes) return;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return wait();
    }
    // After an overflow, everything is read again.
    if (!(await startWatching())) return wait();
    if (!isEnded) notify({ type: 'overflow' });
  };

  work = work.then(async () => {
    if (isEnded) return;
    if (await startWatching()) setWatching(true);
    else await wait();
  });
  return {
    /** Undefined until the first status was reported. */
    get isWatching() {
      return isWatching;
    },
    async end(): Promise<void> {
      isEnded = true;
      clearTimeout(timer);
      watcher.end();
      await work;
    },
  };
}

/** The watch of a project, which can be started anew. */
function createTreeWatcher(tree: MountedTree, limits: SystemLimits) {
  let watch: TreeWatch | undefined;
  let identity = '';
  let isLost = false;
  let isEnded = false;
  const close = (): void => {
    watch?.close();
    watch = undefined;
  };
  return {
    /** Undefined while nothing is watched. */
    get watch() {
      return watch;
    },
    /** Watches the project anew. Returns false if the system refused. */
    async start({
      onTouched,
      onLost,
    }: Pick<Parameters<typeof watchTree>[0], 'onTouched' | 'onLost'>): Promise<boolean> {
      close();
      isLost = false;
      identity = projectIdentity(tree);
      try {
        const started = await watchTree({
          tree,
          ...limits,
          onTouched,
          onLost: () => {
            isLost = true;
            onLost();
          },
        });
        if (isEnded) started.close();
        else watch = started;
        return true;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        return false;
      }
    },
    /** Whether the watched folder is still the project. */
    isValid: () => !isLost && projectIdentity(tree) === identity,
    close,
    /** Also closes a watch that is being started. */
    end() {
      isEnded = true;
      close();
    },
  };
}

/** Paths touched since the last message. */
function createNotices() {
  const touched = new Map<string, Touched>();
  let count = 0;
  let firstAt = 0;
  return {
    add({ path, isRename }: Touched): void {
      if (count++ === 0) firstAt = performance.now();
      const key = formatMountPath(path);
      if (touched.size <= MAX_CHANGES || touched.has(key))
        touched.set(key, { path, isRename: isRename || (touched.get(key)?.isRename ?? false) });
    },
    /** Delay until the report, if nothing more happens. */
    msLeft: (): number => Math.max(0, Math.min(QUIET_PERIOD_MS, firstAt + MAX_DELAY_MS - performance.now())),
    list: (): readonly Touched[] => [...touched.values()],
    isTooMuch: (): boolean => touched.size > MAX_CHANGES || count > MAX_NOTICES,
  };
}

/** One event per path; undefined if there are too many. */
async function collectEvents(
  touched: readonly Touched[],
  sources: { readonly tree: MountedTree; readonly watch: TreeWatch },
): Promise<FileEvent[] | undefined> {
  const changes = new Map<string, FileEvent>();
  for (const item of touched) {
    for (const event of await toFileEvents(item, sources)) changes.set(event.path, event);
    if (changes.size > MAX_CHANGES) return undefined;
  }
  return [...changes.values()];
}

/** Identity of the project folder; empty if it does not exist. */
function projectIdentity(tree: MountedTree): string {
  return identityOf(ifSystemAllows(() => tree.stat(ROOT)));
}

/** Whether the system refused to watch, or to watch that much. */
function isRefusal(error: unknown): boolean {
  return isFileError(error) || error instanceof TooManyFolders;
}

/** Events of a touched path; none for an entry that appeared and vanished. New folders are watched from here on. */
async function toFileEvents(
  { path, isRename }: Touched,
  { tree, watch }: { readonly tree: MountedTree; readonly watch: TreeWatch },
): Promise<FileEvent[]> {
  const entry = tryStat(tree, path);
  if (watch.isDeep) return toUntrackedEvents({ path, isRename }, entry);
  const names = watch.known(parentOf(path));
  // The parent folder was removed, which has its own event.
  if (!names) return [];
  const before = names.get(nameOf(path));
  if (!entry) {
    names.delete(nameOf(path));
    if (before === 'folder') watch.drop(path);
    return before === undefined ? [] : [toEvent(path, 'removed', before)];
  }
  names.set(nameOf(path), entry.kind);
  // A folder has events when it is added or removed; changes in it are events of its entries.
  if (before === 'folder' && watch.isWatched(path, entry)) return [];
  if (before === 'folder') watch.drop(path);
  const event = toEvent(path, before === undefined ? 'created' : 'changed', entry.kind);
  const found = entry.kind === 'folder' ? await watch.add(path) : [];
  return [event, ...found.map((inner) => toEvent(inner.path, 'created', inner.kind))];
}

/** If a whole tree is watched at once, the previous state is unknown, so the kind comes from the system. */
function toUntrackedEvents({ path, isRename }: Touched, entry: TreeEntry | undefined): FileEvent[] {
  if (!entry) return [toEvent(path, 'removed')];
  if (entry.kind === 'folder' && !isRename) return [];
  return [toEvent(path, isRename ? 'created' : 'changed', entry.kind)];
}

function toEvent(path: MountPath, kind: FileEvent['kind'], of?: TreeEntry['kind']): FileEvent {
  return { path: formatMountPath(path), kind, isFolder: of === 'folder' ? true : undefined };
}

/** A path that is reachable only through a link counts as missing. */
function tryStat(tree: MountedTree, path: MountPath): TreeEntry | undefined {
  try {
    return tree.stat(path);
  } catch (error) {
    if (!isFileError(error)) throw error;
    return undefined;
  }
}
