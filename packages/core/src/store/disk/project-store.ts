/**
 * The projects of a user. A project is identified by the real path of its folder; its data in the store is found by id, and
 * stays valid when the folder is moved.
 */
import { realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ApprovedServer } from '@crewagent/protocol/mcp';
import {
  type Project,
  type ProjectList,
  projectListSchema,
  type StandingApproval,
} from '@crewagent/protocol/project';
import type { ShellSettings } from '@crewagent/protocol/shell';
import { CrewError } from '../../base/crew-error.ts';
import { createFolders } from '../../base/durable-files.ts';
import { errnoOf, withDiskErrors } from '../../base/errno.ts';
import { foldName } from '../../base/file-names.ts';
import { isInside } from '../../base/is-inside.ts';
import { createUuidV7 } from '../../base/uuid-v7.ts';
import type { StorePaths } from './layout.ts';
import { changeInPlace, changeStoreFile, parseStored, readStoreFile, writeStoreFile } from './store-file.ts';

export interface ProjectMaker {
  readonly now: () => Date;
  readonly newId?: () => string;
}

/** Resolution of `lastOpenedAt`. */
const OPENED_RESOLUTION_MS = 60_000;

/** Returns the project of a folder; creates it if the folder was never opened. */
export async function openProject(
  store: StorePaths,
  path: string,
  { now, newId = createUuidV7(now) }: ProjectMaker,
): Promise<Project> {
  const folder = await resolveFolder(store, path);
  const at = now().toISOString();
  // Saves a write for a project that is opened often.
  const recent = await findByFolder(await readProjects(store), folder);
  if (recent && now().getTime() - Date.parse(recent.lastOpenedAt) < OPENED_RESOLUTION_MS) return recent;
  return changeProjects(store, async (projects) => {
    const known = await findByFolder(projects, folder);
    const opened: Project = known
      ? { ...known, lastOpenedAt: at }
      : {
          projectId: newId(),
          path: folder,
          name: basename(folder),
          createdAt: at,
          lastOpenedAt: at,
          approvals: [],
        };
    return { projects: [...projects.filter((project) => project !== known), opened], result: opened };
  });
}

/** Undefined if the folder was never opened. */
export async function findProject(store: StorePaths, path: string): Promise<Project | undefined> {
  return findByFolder(await readProjects(store), await realFolder(path));
}

/** Most recently opened first. */
export async function listProjects(store: StorePaths): Promise<Project[]> {
  return (await readProjects(store)).sort((a, b) => (a.lastOpenedAt < b.lastOpenedAt ? 1 : -1));
}

export async function readProject(store: StorePaths, projectId: string): Promise<Project> {
  return requireProject(await readProjects(store), projectId);
}

/**
 * Sets the new path of a project's folder. Another project that was opened there meanwhile is detached, and its data is
 * not deleted.
 */
export async function relinkProject(store: StorePaths, projectId: string, path: string): Promise<Project> {
  const folder = await resolveFolder(store, path);
  return changeProjects(store, async (projects) => {
    const { isDetached: _, ...project } = requireProject(projects, projectId);
    const linked: Project = { ...project, path: folder, name: basename(folder) };
    const displaced = await findByFolder(projects, folder);
    const next = projects.map((other) => {
      if (other.projectId === projectId) return linked;
      return other === displaced ? { ...other, isDetached: true as const } : other;
    });
    return { projects: next, result: linked };
  });
}

/**
 * Runs `work`, which must be short, while the project cannot be forgotten. Throws PROJECT_NOT_FOUND if it was forgotten
 * already.
 */
export async function whileProjectStays<T>(
  store: StorePaths,
  projectId: string,
  work: () => Promise<T>,
): Promise<T> {
  return changeInPlace(store.projectList, async () => {
    requireProject(await readProjects(store), projectId);
    return work();
  });
}

/**
 * Removes a project and its approvals from the list. `retire` removes its data, while no Work can be created in it. If
 * `retire` throws, the project stays; if the list cannot be written, the data is restored.
 */
export async function removeProject(
  store: StorePaths,
  projectId: string,
  retire: () => Promise<Retired>,
): Promise<void> {
  await changeStoreFile(store.projectList, async () => {
    const projects = await readProjects(store);
    const project = requireProject(projects, projectId);
    const { putBack } = await retire();
    try {
      await writeProjects(
        store,
        projects.filter((other) => other !== project),
      );
    } catch (error) {
      await putBack();
      throw error;
    }
  });
}

export interface Retired {
  readonly putBack: () => Promise<void>;
}

/** Saves an approval with the scope "always". */
export async function addStandingApproval(
  store: StorePaths,
  projectId: string,
  approval: StandingApproval,
): Promise<Project> {
  return changeProjects(store, async (projects) => {
    const project = requireProject(projects, projectId);
    const { tool, path, reach = 'file' } = approval;
    const others = project.approvals.filter(
      (known) => known.tool !== tool || known.path !== path || (known.reach ?? 'file') !== reach,
    );
    const approved: Project = { ...project, approvals: [...others, approval] };
    return { projects: projects.map((other) => (other === project ? approved : other)), result: approved };
  });
}

/** Revokes an approval with the scope "always". */
export async function removeStandingApproval(
  store: StorePaths,
  projectId: string,
  { tool, path, reach = 'file' }: StandingApproval,
): Promise<Project> {
  return changeProjects(store, async (projects) => {
    const project = requireProject(projects, projectId);
    const approvals = project.approvals.filter(
      (known) => known.tool !== tool || known.path !== path || (known.reach ?? 'file') !== reach,
    );
    const changed: Project = { ...project, approvals };
    return { projects: projects.map((other) => (other === project ? changed : other)), result: changed };
  });
}

/** Replaces the servers from the project's own configuration that may be started. */
export async function approveServers(
  store: StorePaths,
  projectId: string,
  servers: readonly ApprovedServer[],
): Promise<Project> {
  return changeProjects(store, async (projects) => {
    const project = requireProject(projects, projectId);
    const changed: Project = { ...project, servers: [...servers] };
    return { projects: projects.map((other) => (other === project ? changed : other)), result: changed };
  });
}

/** What models may run as commands in a project. */
export async function setProjectShell(
  store: StorePaths,
  projectId: string,
  shell: ShellSettings,
): Promise<Project> {
  return changeProjects(store, async (projects) => {
    const project = requireProject(projects, projectId);
    const changed: Project = { ...project, shell };
    return { projects: projects.map((other) => (other === project ? changed : other)), result: changed };
  });
}

/** The real path of a folder that can be a project. */
async function resolveFolder(store: StorePaths, path: string): Promise<string> {
  const folder = await realFolder(path);
  const root = await withDiskErrors('Could not open the store', async () => {
    await createFolders(store.root);
    return realpath(store.root);
  });
  // Tools write to projects, and must not be able to write to runs, settings or keys.
  if (isInside(root, folder)) {
    throw new CrewError(
      'USAGE',
      `"${path}" contains the private store of crewagent ("${root}"); choose a folder beside or below it that does not, or move the store with CREWAGENT_HOME.`,
    );
  }
  if (isInside(folder, root)) {
    throw new CrewError(
      'USAGE',
      `"${path}" lies in the private store of crewagent; choose a folder outside of "${root}".`,
    );
  }
  return folder;
}

async function realFolder(path: string): Promise<string> {
  try {
    const folder = await realpath(path);
    if ((await stat(folder)).isDirectory()) return folder;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (errno !== 'ENOENT' && errno !== 'ENOTDIR') {
      return withDiskErrors(`Could not open the project "${path}"`, () => Promise.reject(error));
    }
    throw new CrewError('FOLDER_NOT_FOUND', `There is no folder at "${path}".`, { cause: error });
  }
  throw new CrewError('FOLDER_NOT_FOUND', `"${path}" is a file; a project is a folder.`);
}

async function findByFolder(projects: readonly Project[], folder: string): Promise<Project | undefined> {
  const attached = projects.filter(({ isDetached }) => !isDetached);
  const exact = attached.find(({ path }) => path === folder);
  if (exact) return exact;
  // On a case-insensitive disk, one folder may have two spellings.
  for (const project of attached) {
    if (foldName(project.path) === foldName(folder) && (await isSameFolder(project.path, folder)))
      return project;
  }
  return undefined;
}

async function isSameFolder(one: string, other: string): Promise<boolean> {
  try {
    const [a, b] = await Promise.all([stat(one, { bigint: true }), stat(other, { bigint: true })]);
    return a.ino === b.ino && a.dev === b.dev;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

function requireProject(projects: readonly Project[], projectId: string): Project {
  const project = projects.find((candidate) => candidate.projectId === projectId);
  if (!project) throw new CrewError('PROJECT_NOT_FOUND', `There is no project with the id "${projectId}".`);
  return project;
}

async function readProjects(store: StorePaths): Promise<Project[]> {
  const value = await readStoreFile(store.projectList);
  return value === undefined ? [] : parseStored(projectListSchema, value, store.projectList).projects;
}

interface ListChange<T> {
  readonly projects: Project[];
  readonly result: T;
}

async function changeProjects<T>(
  store: StorePaths,
  change: (projects: readonly Project[]) => Promise<ListChange<T>>,
): Promise<T> {
  return changeStoreFile(store.projectList, async () => {
    const { projects, result } = await change(await readProjects(store));
    await writeProjects(store, projects);
    return result;
  });
}

async function writeProjects(store: StorePaths, projects: Project[]): Promise<void> {
  await writeStoreFile(store.projectList, { schemaVersion: 1, projects } satisfies ProjectList);
}
