/**
 * Versions of projects as rows. A version never changes once it is committed, so that trees that were read stay in memory, and only what
 * newer versions changed is read.
 */
import { CrewError } from '@crewagent/core';
import type { Queries } from '../database/database.ts';
import { type Changes, formatEntry, parseEntry } from './project-entry.ts';
import { applyChanges, type Tree } from './project-tree.ts';

interface FileRow {
  readonly path: string;
  readonly entry: string | null;
}

/** Notices with the id of a project that has a new version. */
export const PROJECTS_CHANNEL = 'crewagent_projects';

/** Trees that stay in memory, of all projects. */
const MAX_TREES = 32;

interface KnownTree {
  readonly projectId: string;
  readonly version: number;
  readonly tree: Tree;
}

export type ProjectVersions = ReturnType<typeof createProjectVersions>;

export function createProjectVersions(database: Queries) {
  /** Least recently used first. */
  const known: KnownTree[] = [];
  /** The newest tree of the project up to a version. */
  const findKnown = (projectId: string, version: number): KnownTree | undefined => {
    let nearest: KnownTree | undefined;
    for (const one of known)
      if (one.projectId === projectId && one.version <= version && one.version >= (nearest?.version ?? 0))
        nearest = one;
    return nearest;
  };
  const remember = (tree: KnownTree): Tree => {
    const at = known.findIndex((one) => one.projectId === tree.projectId && one.version === tree.version);
    if (at !== -1) known.splice(at, 1);
    known.push(tree);
    if (known.length > MAX_TREES) known.shift();
    return tree.tree;
  };
  return {
    /** Throws PROJECT_NOT_FOUND. */
    async readHead(projectId: string): Promise<{ head: number; source: string }> {
      const [row] = await database.read<{ head: number; source: string }>(
        'select head, source from projects where project_id = $1',
        [projectId],
      );
      if (!row) throw projectNotFound(projectId);
      return row;
    },
    async treeAt(projectId: string, version: number): Promise<Tree> {
      const nearest = findKnown(projectId, version);
      if (nearest?.version === version) return remember(nearest);
      if (nearest) {
        const rows = await database.read<FileRow>(
          `select path, entry from project_files
           where project_id = $1 and version > $2 and version <= $3 order by version`,
          [projectId, nearest.version, version],
        );
        return remember({ projectId, version, tree: applyChanges(nearest.tree, toChanges(rows)) });
      }
      const rows = await database.read<FileRow>(
        `select path, entry from (
           select distinct on (path) path, entry from project_files
           where project_id = $1 and version <= $2 order by path, version desc) as newest
         where entry is not null`,
        [projectId, version],
      );
      return remember({ projectId, version, tree: applyChanges(new Map(), toChanges(rows)) });
    },
  };
}

function toChanges(rows: readonly FileRow[]): Changes {
  return new Map(rows.map(({ path, entry }) => [path, parseEntry(entry)]));
}

export interface NewVersion {
  readonly projectId: string;
  /** The newest version that the changes were merged into. */
  readonly head: number;
  readonly changes: Changes;
  readonly madeBy: string;
  readonly rootId?: string | undefined;
  readonly gitCommit?: string | undefined;
}

/** Locks the project until the transaction ends. Undefined if there is a newer version by now. */
export async function addVersion({ write }: Queries, added: NewVersion): Promise<number | undefined> {
  const { projectId, head, changes, madeBy, rootId, gitCommit } = added;
  const [project] = await write<{ head: number }>(
    'select head from projects where project_id = $1 for no key update',
    [projectId],
  );
  if (!project) throw projectNotFound(projectId);
  if (project.head !== head) return undefined;
  if (changes.size === 0 && gitCommit === undefined) return head;
  const version = head + 1;
  await write(
    `insert into project_versions (project_id, version, made_by, root_id, git_commit) values ($1, $2, $3, $4, $5)`,
    [projectId, version, madeBy, rootId ?? null, gitCommit ?? null],
  );
  await write(
    `insert into project_files (project_id, path, version, entry)
     select $1, given.path, $2, given.entry from unnest($3::text[], $4::text[]) as given (path, entry)`,
    [projectId, version, [...changes.keys()], [...changes.values()].map(formatEntry)],
  );
  await write(
    `with changed as (update projects set head = $2 where project_id = $1 returning project_id)
     select pg_notify('${PROJECTS_CHANNEL}', project_id::text) from changed`,
    [projectId, version],
  );
  return version;
}

export function projectNotFound(projectId: string): CrewError {
  return new CrewError('PROJECT_NOT_FOUND', `There is no project with the id "${projectId}".`);
}
