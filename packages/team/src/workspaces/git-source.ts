/**
 * Projects from a git repository: new commits of its branch become versions, and what a tree of Works checked in becomes a branch. Nothing
 * of a repository stays on the machine; credentials come with each call.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CrewError,
  fetchRepository,
  type GitCredentials,
  listRefs,
  pushCommits,
  withDiskErrors,
} from '@crewagent/core';
import { removeTree } from '@crewagent/core/store';
import type { Blobs } from '../blobs/blobs.ts';
import type { Queries } from '../database/database.ts';
import { type CheckIn, changeProject, type ProjectParts } from './change-project.ts';
import { addConflicts } from './conflicts.ts';
import { storeFolderChanges } from './folder-changes.ts';
import { openFolderCopy } from './folder-copy.ts';
import { type Changes, formatEntry, isSameEntry, type ProjectEntry, parseEntry } from './project-entry.ts';
import { type ProjectSource, parseSource } from './project-source.ts';
import type { Tree } from './project-tree.ts';

interface GitParts extends ProjectParts {
  /** Real folder for clones, which are deleted after use. */
  readonly scratch: string;
}

interface GitAccess {
  readonly credentials?: GitCredentials | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RefreshRequest extends GitAccess {
  readonly projectId: string;
  /** The person. */
  readonly by: string;
}

export interface Refreshed extends CheckIn {
  readonly commit: string;
}

const SECONDS = 600;

/** Merges what is new in the branch into the project; the first time, all of it. */
export async function refreshFromGit(
  parts: GitParts,
  { projectId, by, ...access }: RefreshRequest,
): Promise<Refreshed> {
  const { database, blobs, limits } = parts;
  const { head, source } = await parts.versions.readHead(projectId);
  const { url, branch } = requireGit(parseSource(source));
  const known = await lastCommit(database, projectId, head);
  return withScratch(parts.scratch, async (home) => {
    const copy = await openFolderCopy(home);
    const options = { ...access, limits: { seconds: SECONDS, bytes: limits.bytes, files: limits.files } };
    const refs = await listRefs({ url, ref: branch }, { ...options, cwd: home });
    const newest = refs.get(branch === undefined ? 'HEAD' : `refs/heads/${branch}`);
    if (known !== undefined && newest === known)
      return { version: head, merged: [], conflicts: [], commit: known };
    const commit = await fetchRepository({ url, ref: branch }, copy.folder, options);
    // The name of a tag, which is not listed as a branch.
    if (commit === known) return { version: head, merged: [], conflicts: [], commit };
    const before = await readSourceFiles(database, projectId);
    const files = await storeFolderChanges(copy, new Map(), blobs);
    const ours = findChanges(before, files);
    const added = await changeProject(parts, {
      projectId,
      base: before,
      ours,
      madeBy: by,
      gitCommit: commit,
      async store(queries, { version, conflicts }) {
        // The new version has the commit already.
        if ((await lastCommit(queries, projectId, version - 1)) !== known) throw refreshedMeanwhile();
        await writeSourceFiles(queries, projectId, ours);
        await addConflicts(queries, { projectId }, conflicts);
      },
    });
    return { ...added, commit };
  });
}

function requireGit(source: ProjectSource): Extract<ProjectSource, { kind: 'git' }> {
  if (source.kind === 'git') return source;
  throw new CrewError('USAGE', 'This project does not come from a git repository.');
}

function refreshedMeanwhile(): CrewError {
  return new CrewError('FILE_CONFLICT', 'Somebody else has fetched the repository meanwhile. Try again.');
}

async function lastCommit(
  { read }: Queries,
  projectId: string,
  version: number,
): Promise<string | undefined> {
  const [row] = await read<{ git_commit: string }>(
    `select git_commit from project_versions
     where project_id = $1 and version <= $2 and git_commit is not null order by version desc limit 1`,
    [projectId, version],
  );
  return row?.git_commit;
}

/** The files of the last commit, as they were fetched: the project may have others. */
async function readSourceFiles({ read }: Queries, projectId: string): Promise<Tree> {
  const rows = await read<{ path: string; entry: string }>(
    'select path, entry from source_files where project_id = $1',
    [projectId],
  );
  const tree = new Map<string, ProjectEntry>();
  for (const { path, entry } of rows) {
    const parsed = parseEntry(entry);
    if (parsed) tree.set(path, parsed);
  }
  return tree;
}

function findChanges(before: Tree, now: Changes): Changes {
  const changes = new Map([...now].filter(([path, entry]) => !isSameEntry(entry, before.get(path))));
  for (const path of before.keys()) if (!now.has(path)) changes.set(path, undefined);
  return changes;
}

async function writeSourceFiles({ write }: Queries, projectId: string, changes: Changes): Promise<void> {
  const paths = [...changes.keys()];
  await write('delete from source_files where project_id = $1 and path = any($2::text[])', [
    projectId,
    paths,
  ]);
  await write(
    `insert into source_files (project_id, path, entry)
     select $1, given.path, given.entry from unnest($2::text[], $3::text[]) as given (path, entry)
     where given.entry is not null`,
    [projectId, paths, [...changes.values()].map(formatEntry)],
  );
}

async function withScratch<T>(scratch: string, use: (home: string) => Promise<T>): Promise<T> {
  const home = join(scratch, 'clones', randomUUID());
  await withDiskErrors('Could not fetch the repository', () => mkdir(home, { recursive: true, mode: 0o700 }));
  try {
    return await use(home);
  } finally {
    await removeTree(home);
  }
}

export interface PushRequest extends GitAccess {
  readonly projectId: string;
  readonly rootId: string;
}

export interface PushedBranch {
  readonly branch: string;
  readonly commit: string;
}

interface CheckInRow {
  readonly version: number;
  readonly made_at: Date;
  readonly made_by: string;
}

/**
 * Pushes what a tree of Works has checked in as the branch `crewagent/` and its id: a commit per check-in, on the commit that the first of
 * them was based on. The same check-ins give the same commits, so that later ones are added to the branch.
 */
export async function pushToGit(
  { database, blobs, versions, scratch, limits }: GitParts,
  { rootId, projectId, ...access }: PushRequest,
): Promise<PushedBranch> {
  const { url } = requireGit(parseSource((await versions.readHead(projectId)).source));
  const checkIns = await database.read<CheckInRow>(
    'select version, made_at, made_by from project_versions where project_id = $1 and root_id = $2 order by version',
    [projectId, rootId],
  );
  const [first] = checkIns;
  const base = first && (await lastCommit(database, projectId, first.version));
  if (base === undefined)
    throw new CrewError(
      'USAGE',
      'This run has not changed any file of the repository yet, so that there is nothing to push.',
    );
  const branch = `crewagent/${rootId}`;
  return withScratch(scratch, async (home) => ({
    branch,
    commit: await pushCommits({ url, base, branch }, home, {
      ...access,
      limits: { seconds: SECONDS, bytes: limits.bytes, files: limits.files },
      commits: formatCommits({ database, blobs }, { projectId, branch, base, checkIns }),
    }),
  }));
}

interface BranchDraft {
  readonly projectId: string;
  readonly branch: string;
  readonly base: string;
  readonly checkIns: readonly CheckInRow[];
}

const COMMITTER = 'CrewAgent <crewagent@localhost>';

/** The input of `git fast-import`. */
async function* formatCommits(
  { database, blobs }: { readonly database: Queries; readonly blobs: Blobs },
  { projectId, branch, base, checkIns }: BranchDraft,
): AsyncGenerator<Buffer> {
  for (const [index, { version, made_at: at, made_by: by }] of checkIns.entries()) {
    const message = Buffer.from(`Changes of ${by}\n`);
    const seconds = Math.floor(at.getTime() / 1_000);
    yield Buffer.from(
      `commit refs/heads/${branch}\ncommitter ${COMMITTER} ${seconds} +0000\ndata ${message.length}\n`,
    );
    yield message;
    if (index === 0) yield Buffer.from(`from ${base}\n`);
    const rows = await database.read<{ path: string; entry: string | null }>(
      // What is deleted makes room for other names.
      'select path, entry from project_files where project_id = $1 and version = $2 order by entry is not null, path',
      [projectId, version],
    );
    for (const { path, entry } of rows) yield* formatFile(blobs, path, parseEntry(entry));
  }
  yield Buffer.from('done\n');
}

async function* formatFile(
  blobs: Blobs,
  path: string,
  entry: ProjectEntry | undefined,
): AsyncGenerator<Buffer> {
  const name = `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  if (!entry) yield Buffer.from(`D ${name}\n`);
  // Git has no empty folders.
  if (!entry || entry.kind === 'folder') return;
  const mode = entry.kind === 'link' ? '120000' : entry.isExecutable ? '100755' : '100644';
  yield Buffer.from(`M ${mode} inline ${name}\ndata ${entry.bytes}\n`);
  yield* blobs.read(entry.sha256);
  yield Buffer.from('\n');
}
