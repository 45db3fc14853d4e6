/**
 * The projects of a person. A project is a folder; it is found by its real path, and what belongs to it lies in the store
 * under its id, so that it survives when the folder moves.
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

/** When a project was opened last is known this exactly. */
const FRESH_MS = 60_000;

/** The project of a folder; a folder that was never opened becomes one. */
export async function openProject(
  store: StorePaths,
  path: string,
  { now, newId = createUuidV7(now) }: ProjectMaker,
): Promise<Project> {
  const folder = await resolveFolder(store, path);
  const at = now().toISOString();
  // A project that is used again and again is not written down each time.
  const recent = await findByFolder(await readProjects(store), folder);
  if (recent && now().getTime() - Date.parse(recent.lastOpenedAt) < FRESH_MS) return recent;
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

/** The project of a folder, if it was ever opened. */
export async function findProject(store: StorePaths, path: string): Promise<Project | undefined> {
  return findByFolder(await readProjects(store), await realFolder(path));
}

/** The one that was opened last comes first. */
export async function listProjects(store: StorePaths): Promise<Project[]> {
  return (await readProjects(store)).sort((a, b) => (a.lastOpenedAt < b.lastOpenedAt ? 1 : -1));
}

export async function readProject(store: StorePaths, projectId: string): Promise<Project> {
  return requireProject(await readProjects(store), projectId);
}

/**
 * Says where a project's folder is now. If another project was opened there meanwhile, that one is detached: what belongs
 * to it is kept.
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
 * Does what needs the project, and takes no time to speak of, while nobody can forget it. Throws PROJECT_NOT_FOUND where
 * somebody did.
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
 * Takes a project off the list, with all it was allowed. What is kept for it goes with `retire`, while nobody can begin
 * anything in it. Where that throws, the project stays; where the list cannot be written, what went is put back.
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

/** Remembers an "always". */
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

/** Takes an "always" back. */
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

/** Servers of a project's own file that may be started from now on, instead of those that could be before. */
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
  // Tools write in a project; nothing they write may reach runs, settings or keys.
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
  // A disk that takes upper and lower case for the same may tell one folder in two spellings.
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
