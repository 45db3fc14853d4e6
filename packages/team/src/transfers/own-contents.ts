/**
 * Which contents a project has. A hash alone gives nobody a content: it must have been sent to the project, or belong to a Work or a version
 * of it. Otherwise whoever knows the hash of a file could read it from any project.
 */
import type { Blobs } from '../blobs/blobs.ts';
import type { Queries } from '../database/database.ts';

export type OwnContents = ReturnType<typeof createOwnContents>;

export function createOwnContents(database: Queries, blobs: Blobs) {
  return {
    async add(projectId: string, hashes: readonly string[]): Promise<void> {
      await database.read(
        `insert into transfer_contents (project_id, sha256) select $1, unnest($2::text[])
         on conflict (project_id, sha256) do update set named_at = now()`,
        [projectId, [...new Set(hashes)].sort()],
      );
    },
    /** Those that the project does not have, or that are not stored any more. */
    async missing(projectId: string, hashes: readonly string[]): Promise<string[]> {
      const rows = await database.read<{ sha256: string }>(
        `select sha256 from transfer_contents where project_id = $1 and sha256 = any($2::text[])
         union
         select entry::json ->> 'sha256' from project_files
         where project_id = $1 and entry is not null and entry::json ->> 'sha256' = any($2::text[])`,
        [projectId, hashes],
      );
      const own = new Set(rows.map(({ sha256 }) => sha256));
      const gone = await blobs.findMissing([...own]);
      return hashes.filter((sha256) => !own.has(sha256) || gone.has(sha256));
    },
    /** What nobody fetched or completed within a day is sent again. */
    async sweep(): Promise<void> {
      await database.read("delete from transfer_contents where named_at < now() - interval '1 day'");
    },
  };
}
