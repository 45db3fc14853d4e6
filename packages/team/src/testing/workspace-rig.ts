/** Projects and Works for tests of workspaces. */
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Of } from '@crewagent/core/store';
import { onTestFinished } from 'vitest';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { type Blobs, createPostgresBlobs } from '../blobs/blobs.ts';
import type { Database } from '../database/database.ts';
import type { Workspace } from '../workspaces/tree-workspaces.ts';
import { createWorkspaces, type WorkspacesOptions } from '../workspaces/workspaces.ts';
import { testDatabase } from './team-rig.ts';

export async function openWorkspaceRig(database?: Database) {
  const opened = database ?? (await testDatabase());
  const blobs = createPostgresBlobs(opened);
  return {
    database: opened,
    blobs,
    /** Another one is another machine. */
    async openWorkspaces(options: Partial<WorkspacesOptions> = {}) {
      const scratch = await tempFolder();
      const workspaces = createWorkspaces({ database: opened, blobs, scratch, ...options });
      onTestFinished(() => workspaces.close());
      return workspaces;
    },
    async createProject(source: object = { kind: 'upload' }): Promise<string> {
      const projectId = randomUUID();
      await opened.write("insert into projects (project_id, document, source) values ($1, '{}', $2)", [
        projectId,
        JSON.stringify(source),
      ]);
      return projectId;
    },
    createWork: (projectId: string) => createWork(opened, projectId),
    /** What a tool does: the file, its content and its row. `undefined` deletes. */
    change: (workspace: Workspace, path: string, text: string | undefined, mode?: number) =>
      changeFile(opened, blobs, workspace, path, text, mode),
  };
}

export type WorkspaceRig = Awaited<ReturnType<typeof openWorkspaceRig>>;

/** A Work that is claimed, with the epoch 1. */
async function createWork(database: Database, projectId: string): Promise<string> {
  const workId = randomUUID();
  await database.write(
    `with made as (
       insert into works (work_id, project_id, root_id, is_run, phase, record) values ($1, $2, $1, true, 'Running', '{}')
       returning work_id)
     insert into claims (root_id, worker_id, epoch) select work_id, 'test', 1 from made`,
    [workId, projectId],
  );
  return workId;
}

async function changeFile(
  database: Database,
  blobs: Blobs,
  { rootId, folder }: Workspace,
  path: string,
  text: string | undefined,
  mode?: number,
): Promise<void> {
  const file = join(folder, path);
  await rm(file, { recursive: true, force: true });
  const content = Buffer.from(text ?? '');
  const entry = { kind: 'file', sha256: sha256Of(content), bytes: content.length, mode };
  if (text !== undefined) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { mode: mode ?? 0o644 });
    await blobs.put(new Map([[entry.sha256, content]]));
  }
  await database.write(
    `insert into workspace_files (root_id, path, entry) values ($1, $2, $3)
     on conflict (root_id, path) do update set entry = excluded.entry`,
    [rootId, `@project/${path}`, text === undefined ? null : JSON.stringify(entry)],
  );
}
