/**
 * Files of a mount by a few letters of their path. It is gone through level by level, within a number of entries and a time,
 * whatever it holds: no link is followed, nothing on the ignore list is entered, no secret file is told.
 */
import { hasInvisible } from '@crewagent/protocol/plain-text';
import { errnoOf } from '../base/errno.ts';
import { isIgnoredName } from '../base/ignored-names.ts';
import { parseStagingName } from '../base/staging.ts';
import { formatMountPath, type MountName, type MountPath, parseMountPath } from '../mounts/mount-path.ts';
import type { MountedTree } from '../mounts/mounted-tree.ts';
import { nextTurn } from '../mounts/open-path.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import type { IsSecret } from '../mounts/secret-files.ts';
import { matchPath, toWanted } from './match-path.ts';
import { childOf } from './project-path.ts';

export interface FoundFiles {
  /** The best fit first. */
  readonly paths: string[];
  /** There are more files than were looked through. */
  readonly isCut: boolean;
}

export interface FindOptions {
  readonly limit?: number | undefined;
  /** Whoever asked is gone. */
  readonly signal?: AbortSignal | undefined;
  readonly bounds?: FindBounds | undefined;
}

export interface FindBounds {
  readonly entries: number;
  readonly ms: number;
}

const LIMIT = 50;
const MAX_LIMIT = 200;
const BOUNDS: FindBounds = { entries: 50_000, ms: 3_000 };
/** Then others may run. */
const MS_A_TURN = 8;
const MAX_PATH = 4_096;

interface FindSources {
  readonly tree: Pick<MountedTree, 'entries'>;
  readonly isSecret: IsSecret;
  readonly mount?: MountName;
}

export async function findFiles(
  text: string,
  { tree, isSecret, mount = '@project' }: FindSources,
  { limit = LIMIT, signal, bounds = BOUNDS }: FindOptions = {},
): Promise<FoundFiles> {
  const wanted = toWanted(text);
  // Whoever types a dot means what a dot hides.
  const isHiddenWanted = /(?:^|\/)\./.test(wanted.letters);
  const isPassedOver = (name: string): boolean =>
    isIgnoredName(name) || parseStagingName(name) !== undefined || (name.startsWith('.') && !isHiddenWanted);
  const root: MountPath = { mount, segments: [] };
  const best = createBest(root, Math.min(limit, MAX_LIMIT));
  const end = performance.now() + bounds.ms;
  const pending = [root];
  let next = 0;
  let seen = 0;
  let turnBegan = performance.now();

  const look = async (folder: MountPath): Promise<boolean> => {
    for await (const batch of tree.entries(folder)) {
      for (const { name, kind } of batch) {
        if (isPassedOver(name)) continue;
        if (seen++ >= bounds.entries) return false;
        if (kind === 'folder') pending.push(childOf(folder, name));
        if (kind !== 'file') continue;
        const path = [...folder.segments, name].join('/');
        const worth = matchPath(path, wanted);
        if (worth !== undefined && best.isWanted(worth) && isListed(childOf(folder, name), isSecret))
          best.add({ path, worth });
        if (performance.now() - turnBegan < MS_A_TURN) continue;
        await nextTurn();
        turnBegan = performance.now();
        if (turnBegan > end || signal?.aborted) return false;
      }
    }
    return true;
  };

  for (let folder = pending[next++]; folder; folder = pending[next++]) {
    try {
      if (performance.now() > end || signal?.aborted || !(await look(folder)))
        return { paths: best.take(), isCut: true };
    } catch (error) {
      // Gone again, closed to us, or a link by now. The mount itself is not passed over.
      if (folder === root || !isOutOfReach(error)) throw error;
    }
  }
  return { paths: best.take(), isCut: false };
}

/** Whether it is for others to see, and can be asked for again by the path that is told. */
function isListed(path: MountPath, isSecret: IsSecret): boolean {
  if (path.segments.some((name) => hasInvisible(name) || name.includes('\uFFFD'))) return false;
  const formatted = formatMountPath(path);
  const parsed = formatted.length <= MAX_PATH ? parseMountPath(formatted) : undefined;
  return parsed?.ok === true && formatMountPath(parsed.path) === formatted && !isSecret(path.segments);
}

interface Found {
  readonly path: string;
  readonly worth: number;
}

/** Holds on to the best ones, however many come. */
function createBest({ mount }: MountPath, limit: number) {
  let found: Found[] = [];
  let least = Number.NEGATIVE_INFINITY;
  const cut = (): void => {
    found = found.sort(byWorth).slice(0, limit);
    if (found.length === limit) least = found.at(-1)?.worth ?? least;
  };
  return {
    isWanted: (worth: number): boolean => worth >= least,
    add(one: Found): void {
      found.push(one);
      if (found.length >= 4 * limit) cut();
    },
    take(): string[] {
      cut();
      return found.map(({ path }) => `${mount}/${path}`);
    },
  };
}

function byWorth(a: Found, b: Found): number {
  return b.worth - a.worth || a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}

function isOutOfReach(error: unknown): boolean {
  return errnoOf(error) !== undefined || error instanceof SandboxViolation;
}
