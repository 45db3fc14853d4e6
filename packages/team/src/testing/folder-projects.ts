/** Projects that are folders of this machine, for tests of queue and worker. */
import { createProjectStore, type ProjectStore } from '../../../core/src/store/project-store.ts';
import type { Database } from '../database/database.ts';
import { createPostgresDocument } from '../store/postgres-document.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';

export function folderProjects(database: Database): { projects: ProjectStore; workspaces: Workspaces } {
  const projects = createProjectStore(createPostgresDocument(database, 'projects'));
  const pathOf = async (projectId: string): Promise<string> => (await projects.read(projectId)).path;
  return {
    projects: {
      ...projects,
      async open(path, maker) {
        const project = await projects.open(path, maker);
        await database.write(
          "insert into projects (project_id, document, source) values ($1, '{}', '{}') on conflict do nothing",
          [project.projectId],
        );
        return project;
      },
    },
    workspaces: {
      readHead: pathOf,
      async checkOut(rootId) {
        const [row] = await database.read<{ project_id: string }>(
          'select project_id from works where work_id = $1',
          [rootId],
        );
        const projectId = row?.project_id ?? '';
        return {
          rootId,
          projectId,
          folder: await pathOf(projectId),
          checkIn: () => Promise.resolve(),
          remove: () => Promise.resolve(),
        };
      },
    },
  };
}
