/**
 * The watching of a project from the first who listens to the last: notices are gathered until things are calm, then told.
 * Too many of them are told as such, a folder that vanishes is waited for.
 */
import type { FileEvent, FileWatchMessage } from '@crewagent/protocol/api/files';
import { errnoOf } from '../base/errno.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import { tellChange } from './tell-changes.ts';
import {
  identityOf,
  type SystemLimits,
  TooManyFolders,
  type Touched,
  type TreeWatch,
  watchTree,
} from './watch-tree.ts';

export interface WatchRound {
  /** undefined as long as nobody was told. */
  readonly isWatching: boolean | undefined;
  end(): Promise<void>;
}

export interface WatchRoundOptions extends SystemLimits {
  readonly tree: MountedTree;
  tell(message: FileWatchMessage): void;
}

/** For as long nothing more must have happened. */
const QUIET_MS = 100;
/** Under load there is a message this often. */
const LONGEST_MS = 500;
/** More than this is not told one by one. */
const MAX_CHANGES = 500;
/** So many are not taken for all of them: the system drops what nobody reads in time. */
const MAX_NOTICES = 8_000;
/** How soon it is looked whether watching is possible again; the longer it is not, the later. */
const RETURN_MS = 1_000;
const LONGEST_RETURN_MS = 60_000;
const ROOT: MountPath = { mount: '@project', segments: [] };

export function startWatchRound({ tree, tell, ...limits }: WatchRoundOptions): WatchRound {
  let watch: TreeWatch | undefined;
  let identity = '';
  let isWatching: boolean | undefined;
  let isLost = false;
  let isEnded = false;
  let pause = RETURN_MS;
  let notices = createNotices();
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> = Promise.resolve();

  /** One thing after the other; a later wish replaces one that has not begun. */
  const after = (milliseconds: number, then: () => Promise<void>): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      work = work.then(() => (isEnded ? undefined : then()));
    }, milliseconds);
    timer.unref();
  };

  const say = (isOn: boolean): void => {
    if (!isEnded && isWatching !== isOn) tell({ type: 'watching', isWatching: isOn });
    isWatching = isOn;
  };

  /** Says whether it is being watched now. */
  const begin = async (): Promise<boolean> => {
    watch?.close();
    watch = undefined;
    isLost = false;
    identity = projectIdentity(tree);
    try {
      const begun = await watchTree({
        tree,
        ...limits,
        onTouched: (touched) => {
          notices.add(touched);
          after(notices.msLeft(), flush);
        },
        onLost: () => {
          isLost = true;
          after(0, flush);
        },
      });
      if (isEnded) begun.close();
      else watch = begun;
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return false;
    }
  };

  const wait = async (): Promise<void> => {
    watch?.close();
    watch = undefined;
    notices = createNotices();
    say(false);
    after(pause, comeBack);
  };

  const comeBack = async (): Promise<void> => {
    const isThere = projectIdentity(tree) !== '';
    if (isThere && (await begin())) {
      pause = RETURN_MS;
      say(true);
      tell({ type: 'overflow' });
      return;
    }
    // A folder that is there and cannot be watched is read through in vain each time.
    if (isThere) pause = Math.min(pause * 2, LONGEST_RETURN_MS);
    after(pause, comeBack);
  };

  const flush = async (): Promise<void> => {
    if (!watch) return;
    if (isLost || projectIdentity(tree) !== identity) return wait();
    const gathered = notices;
    notices = createNotices();
    try {
      const changes = gathered.isTooMuch() ? undefined : await tellAll(gathered.list(), { tree, watch });
      if (isEnded) return;
      if (changes && changes.length > 0) tell({ type: 'changes', changes });
      if (changes) return;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return wait();
    }
    // What was not told one by one is found by reading everything anew.
    if (!(await begin())) return wait();
    if (!isEnded) tell({ type: 'overflow' });
  };

  work = work.then(async () => {
    if (isEnded) return;
    if (await begin()) say(true);
    else await wait();
  });
  return {
    get isWatching() {
      return isWatching;
    },
    async end() {
      isEnded = true;
      clearTimeout(timer);
      watch?.close();
      await work;
    },
  };
}

/** What was touched since the last message. */
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
    /** Until it is time to tell, if nothing more happens. */
    msLeft: (): number => Math.max(0, Math.min(QUIET_MS, firstAt + LONGEST_MS - performance.now())),
    list: (): readonly Touched[] => [...touched.values()],
    isTooMuch: (): boolean => touched.size > MAX_CHANGES || count > MAX_NOTICES,
  };
}

/** Everything that happened, one entry for each path; undefined when that is too much. */
async function tellAll(
  touched: readonly Touched[],
  sources: { readonly tree: MountedTree; readonly watch: TreeWatch },
): Promise<FileEvent[] | undefined> {
  const changes = new Map<string, FileEvent>();
  for (const one of touched) {
    for (const event of await tellChange(one, sources)) changes.set(event.path, event);
    if (changes.size > MAX_CHANGES) return undefined;
  }
  return [...changes.values()];
}

/** Which folder the project is now; nothing when there is none. */
function projectIdentity(tree: MountedTree): string {
  try {
    return identityOf(tree.stat(ROOT));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return '';
  }
}

/** The system does not watch, or not that much. */
function isRefusal(error: unknown): boolean {
  return errnoOf(error) !== undefined || error instanceof SandboxViolation || error instanceof TooManyFolders;
}
