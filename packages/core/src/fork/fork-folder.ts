/**
 * The folder that a fork works in: a copy of the project, or a worktree of its repository. It is made under a temporary name beside its
 * target and renamed when it is complete; what a process left that died is removed by the next fork.
 */
import { constants, lstatSync, readdirSync } from 'node:fs';
import { cp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CrewError } from '../base/crew-error.ts';
import { CAN_SYNC_DISK, createFolders, renameEntry, syncDisk, syncFolder } from '../base/durable-files.ts';
import { ifSystemAllows, withDiskErrors } from '../base/errno.ts';
import { isInside } from '../base/is-inside.ts';
import { removeTree } from '../base/remove-tree.ts';
import { isAlive, parseStagingName, stagingName } from '../base/staging.ts';
import { runLocalGit } from '../sharing/git.ts';
import { realFolder, resolvePrivate } from '../store/project-store.ts';

export interface NewFolder {
  readonly kind: 'copy' | 'worktree';
  /** Does not exist yet. */
  readonly folder: string;
}

export interface FolderOptions {
  /** Folder of the original's project. */
  readonly project: string;
  readonly privateFolder: string;
  readonly workId: string;
  exists(workId: string): Promise<boolean>;
  /** Puts the files of the fork in place. */
  fill(folder: string): Promise<void>;
}

/** The new project folder. `finish` is called when the fork is stored: until then its folder counts as left over. */
export interface MadeFolder {
  readonly folder: string;
  finish(): Promise<void>;
}

const FORKING = 'forking';

export async function makeFolder(target: NewFolder, options: FolderOptions): Promise<MadeFolder> {
  const path = await checkTarget(target.folder, options);
  const staging = join(dirname(path), stagingName(FORKING));
  const git = target.kind === 'worktree' ? await openRepository(options.project) : undefined;
  return withDiskErrors(`Could not create "${path}"`, async () => {
    try {
      const mark = basename(staging);
      if (git) await addWorktree(git, staging);
      else await copyProject(options.project, staging);
      await writeFile(join(staging, mark), options.workId, { mode: 0o600 });
      await options.fill(join(staging, git?.prefix ?? ''));
      if (CAN_SYNC_DISK) await syncDisk(staging);
      if (git) {
        await git.run('worktree', 'move', staging, path);
        await syncFolder(dirname(path));
      } else await renameEntry(staging, path);
      return {
        folder: join(path, git?.prefix ?? ''),
        finish: () => unlink(join(path, mark)),
      };
    } catch (error) {
      await removeTree(staging);
      await git?.run('worktree', 'prune');
      throw error;
    }
  });
}

/** Removes what forks left in these folders whose process died. */
export async function sweepFolders(folders: Iterable<string>): Promise<void> {
  for (const folder of new Set(folders))
    for (const name of namesIn(folder)) if (isLeftOver(name)) await removeTree(join(folder, name));
}

function isLeftOver(name: string): boolean {
  const staging = parseStagingName(name);
  return staging?.kind === FORKING && !isAlive(staging.pid);
}

const namesIn = (folder: string): string[] => ifSystemAllows(() => readdirSync(folder)) ?? [];

async function checkTarget(
  folder: string,
  { project, privateFolder, exists }: FolderOptions,
): Promise<string> {
  const wanted = resolve(folder);
  const target = join(await realFolder(dirname(wanted)), basename(wanted));
  if (isInside(target, project) || isInside(target, await resolvePrivate(privateFolder)))
    throw new CrewError(
      'USAGE',
      `"${target}" is inside the project or the store; choose a folder beside it.`,
    );
  const mark = namesIn(target).find(isLeftOver);
  if (mark !== undefined && !(await exists(await readFile(join(target, mark), 'utf8'))))
    await removeTree(target);
  if (ifSystemAllows(() => lstatSync(target)))
    throw new CrewError('USAGE', `"${target}" exists already; name a folder that does not exist yet.`);
  return target;
}

/** With hidden files, links as they are, and without pipes and sockets. A worktree's link to its repository is for one folder only. */
async function copyProject(project: string, staging: string): Promise<void> {
  const git = join(project, '.git');
  await cp(project, staging, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (path) =>
      isCopied(path) && !isLeftOver(basename(path)) && !(path === git && !lstatSync(path).isDirectory()),
  });
}

function isCopied(path: string): boolean {
  const entry = ifSystemAllows(() => lstatSync(path));
  return entry !== undefined && (entry.isFile() || entry.isDirectory() || entry.isSymbolicLink());
}

export interface Repository {
  /** Of the project folder in the repository. */
  readonly prefix: string;
  run(...args: readonly string[]): Promise<string>;
}

/** Undefined if the folder is in no repository, or there is no git. */
export async function findRepository(project: string): Promise<Repository | undefined> {
  const run = (...args: readonly string[]): Promise<string> => runLocalGit(project, args);
  try {
    const prefix = (await run('rev-parse', '--show-prefix')).trim();
    await run('rev-parse', '--verify', '--quiet', 'HEAD');
    return { prefix, run };
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}

async function openRepository(project: string): Promise<Repository> {
  const found = await findRepository(project);
  if (found) return found;
  throw new CrewError(
    'USAGE',
    `"${project}" is not in a git repository with a commit, so it has no worktrees; fork into a copy with --into.`,
  );
}

/** At the current commit, with what has not been committed yet; ignored files stay behind. */
async function addWorktree({ prefix, run }: Repository, staging: string): Promise<void> {
  await run('worktree', 'prune');
  await run('worktree', 'add', '--quiet', '--detach', staging, 'HEAD');
  const top = (await run('rev-parse', '--show-toplevel')).trim();
  const inside = join(top, prefix);
  const changed = await run('diff', '--name-only', '-z', '--relative', '--no-renames', 'HEAD', '--', '.');
  const others = await run('ls-files', '-z', '--others', '--exclude-standard', '--', '.');
  for (const path of `${changed}\0${others}`.split('\0').filter(Boolean)) {
    const [from, to] = [join(inside, path), join(staging, prefix, path)];
    if (isLeftOver(basename(path))) continue;
    await rm(to, { recursive: true, force: true });
    if (!isCopied(from)) continue;
    await createFolders(dirname(to));
    await cp(from, to, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  }
}
