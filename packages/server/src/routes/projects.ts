/**
 * Projects and the folders one can choose for them.
 */
import {
  type Cleared,
  clearProject,
  createFolder,
  forgetProject,
  isFolder,
  listFolders,
  listProjects,
  makeFolder,
  openProject,
  readProject,
  relinkProject,
  type StoreLayout,
} from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { ShownProject } from '@crewagent/protocol/api/projects';
import type { Project } from '@crewagent/protocol/project';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountProjects(router: Router, parts: ServerParts): void {
  const { runtime, heldFiles } = parts;
  const { store } = runtime;
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
    await letGo(projectId, parts);
    await heldFiles.release(projectId);
    return undefined;
  });
  mount(router, projects.clear, async ({ params: { projectId } }) => {
    const { conversations, runs, kept } = await removing(projectId, parts, clearProject);
    return { conversations: conversations.length, runs: runs.length, kept };
  });
  mount(router, projects.forget, async ({ params: { projectId } }) => {
    await removing(projectId, parts, forgetProject);
    await heldFiles.release(projectId);
    return undefined;
  });

  mount(router, folders.list, async ({ query: { path, hidden } }) => {
    const list = await listFolders(path, hidden === undefined ? {} : { hidden });
    return { ...list, folders: [...list.folders], roots: [...list.roots] };
  });
  mount(router, folders.create, ({ body: { parent, name } }) => createFolder(parent, name));
}

/** What rests is not kept because we happen to hold it; whoever watches is told what is gone. */
async function removing(
  projectId: string,
  parts: ServerParts,
  remove: (store: StoreLayout, projectId: string) => Promise<Cleared>,
): Promise<Cleared> {
  const { runtime, hub, talkHub, runLists } = parts;
  await letGo(projectId, parts);
  try {
    const cleared = await remove(runtime.store, projectId);
    for (const id of cleared.conversations) talkHub.drop(id);
    for (const id of cleared.runs) hub.drop(id);
    return cleared;
  } finally {
    runLists.poke();
  }
}

/** Of all that rests. */
async function letGo(projectId: string, { openRuns, openSessions }: ServerParts): Promise<void> {
  const isOurs = (record: { readonly projectId: string }): boolean => record.projectId === projectId;
  await openSessions.closeResting(isOurs);
  await openRuns.closeResting(isOurs);
}

async function toShown(project: Project): Promise<ShownProject> {
  return { ...project, exists: await isFolder(project.path) };
}
