/**
 * Projects, and the folder picker.
 */
import {
  changeShell,
  clearProject,
  createFolder,
  forgetProject,
  isFolder,
  listFolders,
  listProjects,
  listWork,
  makeFolder,
  openProject,
  readProject,
  relinkProject,
  removeStandingApproval,
  type Store,
  showShell,
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
  mount(router, projects.revoke, async ({ params: { projectId }, body }) =>
    toShown(await removeStandingApproval(store, projectId, body)),
  );
  mount(router, projects.shell, ({ params: { projectId } }) => showShell(store, projectId));
  mount(
    router,
    projects.changeShell,
    ({ params: { projectId }, body: { enabled, network, folders, allow } }) =>
      changeShell(store, projectId, {
        ...(enabled === undefined ? {} : { enabled }),
        ...(network === undefined ? {} : { network }),
        ...(folders === undefined ? {} : { folders }),
        ...(allow === undefined ? {} : { allow }),
      }),
  );
  mount(router, projects.close, async ({ params: { projectId } }) => {
    await readProject(store, projectId);
    await release(projectId, parts);
    await heldFiles.release(projectId);
    return undefined;
  });
  mount(router, projects.clear, async ({ params: { projectId } }) => {
    const { works, kept } = await removeWorks(projectId, parts, clearProject);
    const runs = works.filter(({ isRun }) => isRun).length;
    return { conversations: works.length - runs, runs, kept };
  });
  mount(router, projects.forget, async ({ params: { projectId } }) => {
    try {
      await removeWorks(projectId, parts, forgetProject);
    } finally {
      await heldFiles.release(projectId);
    }
    return undefined;
  });

  mount(router, folders.list, async ({ query: { path, hidden } }) => {
    const list = await listFolders(path, hidden === undefined ? {} : { hidden });
    return { ...list, folders: [...list.folders], roots: [...list.roots] };
  });
  mount(router, folders.create, ({ body: { parent, name } }) => createFolder(parent, name));
}

/** Releases idle Works before `remove`, and drops the channels of removed Works, also when `remove` fails half-way. */
async function removeWorks<T>(
  projectId: string,
  parts: ServerParts,
  remove: (store: Store, projectId: string) => Promise<T>,
): Promise<T> {
  const { runtime, hub, worksList } = parts;
  const { store } = runtime;
  await release(projectId, parts);
  const before = await listWork(store, projectId);
  try {
    return await remove(store, projectId);
  } finally {
    const remaining = await listWork(store, projectId);
    for (const workId of before) if (!remaining.has(workId)) hub.drop(workId);
    worksList.scheduleRefresh();
  }
}

/** Releases the idle Works of a project. */
async function release(projectId: string, { openWorks }: ServerParts): Promise<void> {
  await openWorks.closeIdle((record) => record.projectId === projectId);
}

async function toShown(project: Project): Promise<ShownProject> {
  return { ...project, exists: await isFolder(project.path) };
}
