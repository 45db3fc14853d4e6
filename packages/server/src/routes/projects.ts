/**
 * Projects and the folders one can choose for them.
 */
import {
  createFolder,
  isFolder,
  listFolders,
  listProjects,
  makeFolder,
  openProject,
  readProject,
  relinkProject,
} from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { ShownProject } from '@crewagent/protocol/api/projects';
import type { Project } from '@crewagent/protocol/project';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountProjects(
  router: Router,
  { runtime: { store }, openRuns, openSessions, heldFiles }: ServerParts,
): void {
  const { projects, folders } = ENDPOINTS;
  const now = (): Date => new Date();

  mount(router, projects.list, async () => ({
    projects: await Promise.all((await listProjects(store)).map(toShown)),
  }));
  mount(router, projects.open, async ({ body: { path, create } }) => {
    if (create) await makeFolder(path);
    return toShown(await openProject(store, path, { now }));
  });
  mount(router, projects.show, async ({ params }) => toShown(await readProject(store, params.projectId)));
  mount(router, projects.relink, async ({ params, body }) => {
    await heldFiles.release(params.projectId);
    return toShown(await relinkProject(store, params.projectId, body.path));
  });
  mount(router, projects.close, async ({ params: { projectId } }) => {
    await readProject(store, projectId);
    const isOurs = (record: { readonly projectId: string }): boolean => record.projectId === projectId;
    await openSessions.closeResting(isOurs);
    await openRuns.closeResting(isOurs);
    await heldFiles.release(projectId);
    return undefined;
  });

  mount(router, folders.list, async ({ query: { path, hidden } }) => {
    const list = await listFolders(path, hidden === undefined ? {} : { hidden });
    return { ...list, folders: [...list.folders], roots: [...list.roots] };
  });
  mount(router, folders.create, ({ body: { parent, name } }) => createFolder(parent, name));
}

async function toShown(project: Project): Promise<ShownProject> {
  return { ...project, exists: await isFolder(project.path) };
}
