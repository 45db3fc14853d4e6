/** Changes that could not be merged, as rows: both sides stay in the store until a person resolves them. */
import { CrewError } from '@crewagent/core';
import { sha256Of } from '@crewagent/core/store';
import type { Blobs } from '../blobs/blobs.ts';
import type { Queries } from '../database/database.ts';
import type { ProjectParts } from './change-project.ts';
import type { Conflict, ConflictReason } from './merge-changes.ts';
import { formatEntry, type ProjectEntry, parseEntry } from './project-entry.ts';
import { editTree, pathDanger, refusedPath, requireLimits } from './project-tree.ts';
import { addVersion } from './project-versions.ts';

export interface StoredConflict extends Conflict {
  readonly conflictId: string;
  readonly projectId: string;
  /** Undefined for a change of the project's source. */
  readonly rootId: string | undefined;
  readonly madeAt: Date;
}

export type Resolution =
  | { readonly take: 'ours' }
  | { readonly take: 'theirs' }
  /** The project keeps its side, and gets the other one under another path. */
  | { readonly take: 'both'; readonly path: string }
  | { readonly take: 'text'; readonly text: string };

export async function addConflicts(
  { write }: Queries,
  { projectId, rootId }: { readonly projectId: string; readonly rootId?: string | undefined },
  conflicts: readonly Conflict[],
): Promise<void> {
  if (conflicts.length === 0) return;
  await write(
    `insert into workspace_conflicts (project_id, root_id, path, reason, base, theirs, ours)
     select $1, $2, given.path, given.reason, given.base, given.theirs, given.ours
     from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
       as given (path, reason, base, theirs, ours)`,
    [
      projectId,
      rootId ?? null,
      conflicts.map(({ path }) => path),
      conflicts.map(({ reason }) => reason),
      conflicts.map(({ base }) => formatEntry(base)),
      conflicts.map(({ theirs }) => formatEntry(theirs)),
      conflicts.map(({ ours }) => formatEntry(ours)),
    ],
  );
}

interface ConflictRow {
  readonly conflict_id: string;
  readonly project_id: string;
  readonly root_id: string | null;
  readonly path: string;
  readonly reason: ConflictReason;
  readonly base: string | null;
  readonly theirs: string | null;
  readonly ours: string | null;
  readonly made_at: Date;
}

const COLUMNS = 'conflict_id, project_id, root_id, path, reason, base, theirs, ours, made_at';

/** Those that are not resolved, oldest first. */
export async function listConflicts(database: Queries, projectId: string): Promise<StoredConflict[]> {
  const rows = await database.read<ConflictRow>(
    `select ${COLUMNS} from workspace_conflicts where project_id = $1 and resolution is null order by conflict_id`,
    [projectId],
  );
  return rows.map(toConflict);
}

function toConflict(row: ConflictRow): StoredConflict {
  return {
    conflictId: row.conflict_id,
    projectId: row.project_id,
    rootId: row.root_id ?? undefined,
    path: row.path,
    reason: row.reason,
    base: parseEntry(row.base),
    theirs: parseEntry(row.theirs),
    ours: parseEntry(row.ours),
    madeAt: row.made_at,
  };
}

export interface ResolveRequest {
  readonly projectId: string;
  readonly conflictId: string;
  /** The person. */
  readonly by: string;
  readonly resolution: Resolution;
}

/** Returns the newest version of the project. Throws FILE_CONFLICT if it was resolved before. */
export async function resolveConflict(
  { database, blobs, versions, limits }: ProjectParts,
  { projectId, conflictId, by, resolution }: ResolveRequest,
): Promise<number> {
  const open = await listConflicts(database, projectId);
  const conflict = open.find((one) => one.conflictId === conflictId);
  if (!conflict) throw alreadyResolved();
  const change = await toChange(conflict, resolution, blobs);
  for (;;) {
    const { head } = await versions.readHead(projectId);
    const tree = editTree(await versions.treeAt(projectId, head));
    if (change) {
      const [path, entry] = change;
      const danger = pathDanger(path);
      if (entry && danger !== undefined) throw refusedPath(path, danger);
      const clash =
        entry &&
        (tree.findClash(path, entry) ??
          (resolution.take === 'both' && tree.entries.has(path) ? path : undefined));
      if (clash !== undefined) {
        const message = `"${clash}" is in the way of "${path}" in this project. Choose another name.`;
        throw new CrewError('FILE_EXISTS', message);
      }
      if (entry) tree.put(path, entry);
      requireLimits(tree.entries, limits);
    }
    const version = await database.transaction(async (queries) => {
      const added = await addVersion(queries, {
        projectId,
        head,
        changes: new Map(change ? [change] : []),
        madeBy: by,
      });
      if (added === undefined) return undefined;
      const rows = await queries.write(
        `update workspace_conflicts set resolution = $2, resolved_by = $3, resolved_at = now()
         where conflict_id = $1 and resolution is null returning 1`,
        [conflictId, resolution.take, by],
      );
      if (rows.length === 0) throw alreadyResolved();
      return added;
    });
    if (version !== undefined) return version;
  }
}

function alreadyResolved(): CrewError {
  return new CrewError(
    'FILE_CONFLICT',
    'This conflict has been resolved already. Reload to see the file as it is.',
  );
}

/** Undefined if the project stays as it is. */
async function toChange(
  { path, ours, theirs }: StoredConflict,
  resolution: Resolution,
  blobs: Blobs,
): Promise<[path: string, entry: ProjectEntry | undefined] | undefined> {
  if (resolution.take === 'theirs') return undefined;
  if (resolution.take === 'ours') return [path, ours];
  if (resolution.take === 'both') {
    if (ours) return [resolution.path, ours];
    throw new CrewError(
      'USAGE',
      `The other side deleted "${path}", so that there is nothing to keep beside it.`,
    );
  }
  const content = Buffer.from(resolution.text);
  const sha256 = sha256Of(content);
  await blobs.put(new Map([[sha256, content]]));
  const isExecutable = theirs?.isExecutable ?? ours?.isExecutable;
  return [path, { kind: 'file', sha256, bytes: content.length, ...(isExecutable ? { isExecutable } : {}) }];
}
