/**
 * Projects, and the folder picker.
 */
import {
  changeShell,
  createFolder,
  isFolder,
  listFolders,
  makeFolder,
  type Store,
  showShell,
  withoutApproval,
} from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { ShownProject } from '@crewagent/protocol/api/projects';
import type { Project } from '@crewagent/protocol/project';
import { mount, type Router } from '../mount.ts';
import { scopeOf } from '../security/access.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountProjects(router: Router, parts: ServerParts): void {
  const { runtime, heldFiles } = parts;
  const { store } = runtime;
  const { projects, folders } = ENDPOINTS;
  const now = (): Date => new Date();

  mount(router, projects.list, async ({ viewer }) => {
    const scope = scopeOf(viewer);
    const all = await store.projects.list();
    const visible = all.filter(({ projectId }) => !scope || scope.has(projectId));
    return { projects: await Promise.all(visible.map((project) => toShown(project, store))) };
  });
  mount(router, projects.open, async ({ body: { path, create } }) => {
    if (create) await makeFolder(path);
    return toShown(await store.projects.open(path, { now }), store);
  });
  mount(router, projects.show, async ({ params }) =>
    toShown(await store.projects.read(params.projectId), store),
  );
  mount(router, projects.relink, async ({ params, body }) => {
    await heldFiles.release(params.projectId);
    return toShown(await store.projects.relink(params.projectId, body.path), store);
  });
  mount(router, projects.revoke, async ({ params: { projectId }, body }) =>
    toShown(await store.projects.update(projectId, (project) => withoutApproval(project, body)), store),
  );
  mount(router, projects.shell, ({ params: { projectId } }) => showShell(store, projectId));
  mount(router, projects.changeShell, ({ params: { projectId }, body }) =>
    changeShell(store, projectId, body),
  );
  mount(router, projects.close, async ({ params: { projectId } }) => {
    await store.projects.read(projectId);
    await release(projectId, parts);
    await heldFiles.release(projectId);
  });
  mount(router, projects.clear, ({ params: { projectId } }) =>
    removeWorks(projectId, parts, () => store.clearProject(projectId)),
  );
  mount(router, projects.forget, async ({ params: { projectId } }) => {
    try {
      await removeWorks(projectId, parts, () => store.forgetProject(projectId));
    } finally {
      await heldFiles.release(projectId);
    }
  });

  mount(router, folders.list, ({ query: { path, hidden } }) => listFolders(path, { hidden }));
  mount(router, folders.create, ({ body: { parent, name } }) => createFolder(parent, name));
}

/** Releases idle Works before `remove`, and drops the channels of removed Works, also when `remove` fails half-way. */
async function removeWorks<T>(projectId: string, parts: ServerParts, remove: () => Promise<T>): Promise<T> {
  const { runtime, hub, worksList } = parts;
  const list = async (): Promise<string[]> =>
    (await runtime.store.works.addresses({ projectId })).map(({ workId }) => workId);
  await release(projectId, parts);
  const before = await list();
  try {
    return await remove();
  } finally {
    const remaining = new Set(await list());
    for (const workId of before) if (!remaining.has(workId)) hub.drop(workId);
    worksList.scheduleRefresh();
  }
}

/** Releases the idle Works of a project. */
async function release(projectId: string, { openWorks }: ServerParts): Promise<void> {
  await openWorks.closeIdle((record) => record.projectId === projectId);
}

/** The folder of a project of a team is a copy on this machine, which is nobody's business. */
async function toShown(project: Project, { projects }: Pick<Store, 'projects'>): Promise<ShownProject> {
  const address = projects.addressOf?.(project.projectId);
  if (address !== undefined) return { ...project, path: address, exists: true };
  return { ...project, exists: await isFolder(project.path) };
}
