/**
 * The projects of a user. A project is identified by the real path of its folder; its data in the store is found by id, and
 * stays valid when the folder is moved.
 */
import { realpathSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import {
  type Project,
  type ProjectList,
  projectListSchema,
  type StandingApproval,
} from '@crewagent/protocol/project';
import { CrewError } from '../base/crew-error.ts';
import { createFolders } from '../base/durable-files.ts';
import { errnoOf, ifSystemAllows, withDiskErrors } from '../base/errno.ts';
import { foldName } from '../base/file-names.ts';
import { isInside } from '../base/is-inside.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { describeOpening } from './describe-opening.ts';
import { parseOnce, parseStored, type StoredDocument } from './stored-document.ts';

export interface ProjectMaker {
  readonly now: () => Date;
  readonly newId?: () => string;
}

/** Resolution of `lastOpenedAt`. */
const OPENED_RESOLUTION_MS = 60_000;

export interface ProjectStore {
  /** Where the list of projects is, for people. */
  readonly label: string;
  /** Returns the project of a folder; creates it if the folder was never opened. */
  open(path: string, maker: ProjectMaker): Promise<Project>;
  /** Undefined if the folder was never opened. */
  find(path: string): Promise<Project | undefined>;
  /** What `open` and `find` take instead of a path, where the folder of a project differs by machine. */
  addressOf?(projectId: string): string;
  /** Most recently opened first. */
  list(): Promise<Project[]>;
  /** Throws PROJECT_NOT_FOUND. */
  read(projectId: string): Promise<Project>;
  /** Applies `change` to the latest version of a project. */
  update(projectId: string, change: (project: Project) => Project): Promise<Project>;
  /**
   * Sets the new path of a project's folder. Another project that was opened there meanwhile is detached, and its data is
   * not deleted.
   */
  relink(projectId: string, path: string): Promise<Project>;
  /**
   * Runs `work`, which must be short, while the project cannot be removed. Throws PROJECT_NOT_FOUND if it was removed
   * already.
   */
  whileStays<T>(projectId: string, work: () => Promise<T>): Promise<T>;
  /**
   * Removes a project and its approvals. `retire` removes its data, while no Work can be created in it. If `retire` throws,
   * the project stays; if the list cannot be written, the data is restored.
   */
  remove(projectId: string, retire: () => Promise<Retired>): Promise<void>;
}

export interface Retired {
  readonly putBack: () => Promise<void>;
}

/** `privateFolder`: must not be in a project, and no project in it: tools write to projects. */
export function createProjectStore(document: StoredDocument, privateFolder?: string): ProjectStore {
  const parse = parseOnce((value) =>
    value === undefined ? [] : parseStored(projectListSchema, value, document.label).projects,
  );
  const read = async (): Promise<readonly Project[]> => parse(await document.read());
  const change = <T>(edit: (projects: readonly Project[]) => Promise<ListChange<T>>): Promise<T> =>
    document.change(async (write) => {
      const { projects, result } = await edit(await read());
      await write({ schemaVersion: 1, projects } satisfies ProjectList);
      return result;
    });
  return {
    label: document.label,
    async open(path, { now, newId = createUuidV7(now) }) {
      const folder = await resolveFolder(path, privateFolder);
      const at = now().toISOString();
      // Saves a write for a project that is opened often.
      const recent = await findByFolder(await read(), folder);
      if (recent && now().getTime() - Date.parse(recent.lastOpenedAt) < OPENED_RESOLUTION_MS) return recent;
      return change(async (projects) => {
        const known = await findByFolder(projects, folder);
        const fresh = {
          projectId: newId(),
          path: folder,
          name: basename(folder),
          createdAt: at,
          approvals: [],
        };
        const opened: Project = { ...(known ?? fresh), lastOpenedAt: at };
        return { projects: [...projects.filter((project) => project !== known), opened], result: opened };
      });
    },
    find: async (path) => findByFolder(await read(), await realFolder(path)),
    list: async () => [...(await read())].sort((a, b) => (a.lastOpenedAt < b.lastOpenedAt ? 1 : -1)),
    read: async (projectId) => requireProject(await read(), projectId),
    update: (projectId, edit) =>
      change(async (projects) => {
        const project = requireProject(projects, projectId);
        const changed = edit(project);
        return { projects: projects.map((other) => (other === project ? changed : other)), result: changed };
      }),
    async relink(projectId, path) {
      const folder = await resolveFolder(path, privateFolder);
      return change(async (projects) => {
        const { isDetached: _, ...project } = requireProject(projects, projectId);
        const linked: Project = { ...project, path: folder, name: basename(folder) };
        const displaced = await findByFolder(projects, folder);
        const next = projects.map((other) => {
          if (other.projectId === projectId) return linked;
          return other === displaced ? { ...other, isDetached: true as const } : other;
        });
        return { projects: next, result: linked };
      });
    },
    whileStays: (projectId, work) =>
      document.hold(async () => {
        requireProject(await read(), projectId);
        return work();
      }),
    remove: (projectId, retire) =>
      document.change(async (write) => {
        const projects = await read();
        const project = requireProject(projects, projectId);
        const { putBack } = await retire();
        try {
          const left = projects.filter((other) => other !== project);
          await write({ schemaVersion: 1, projects: left } satisfies ProjectList);
        } catch (error) {
          await putBack();
          throw error;
        }
      }),
  };
}

/** Adds an approval with the scope "always". */
export function withApproval(project: Project, approval: StandingApproval): Project {
  return { ...project, approvals: [...withoutApproval(project, approval).approvals, approval] };
}

/** Revokes an approval with the scope "always". */
export function withoutApproval(project: Project, { tool, path, reach = 'file' }: StandingApproval): Project {
  const approvals = project.approvals.filter(
    (known) => known.tool !== tool || known.path !== path || (known.reach ?? 'file') !== reach,
  );
  return { ...project, approvals };
}

/** Must run before anything is changed: a missing folder may be on a drive that is not connected. */
export async function requireFolder(path: string): Promise<void> {
  if (ifSystemAllows(() => statSync(path))?.isDirectory()) return;
  throw new CrewError(
    'FOLDER_NOT_FOUND',
    `The project folder "${path}" does not exist. Restore it, then try again.`,
  );
}

/** The real path of a folder that can be a project. */
export async function resolveFolder(path: string, privateFolder: string | undefined): Promise<string> {
  const folder = await realFolder(path);
  if (privateFolder === undefined) return folder;
  const root = await resolvePrivate(privateFolder);
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

/** The real path of the store. */
export function resolvePrivate(privateFolder: string): Promise<string> {
  return withDiskErrors(describeOpening(privateFolder), async () => {
    await createFolders(privateFolder);
    return realpathSync.native(privateFolder);
  });
}

export async function realFolder(path: string): Promise<string> {
  try {
    const folder = realpathSync.native(path);
    if (statSync(folder).isDirectory()) return folder;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (errno !== 'ENOENT' && errno !== 'ENOTDIR') {
      return withDiskErrors(`Could not open the project "${path}"`, () => Promise.reject(error));
    }
    throw new CrewError('FOLDER_NOT_FOUND', `There is no folder at "${path}". Create it, or name another.`, {
      cause: error,
    });
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
  const [a, b] = [one, other].map((path) => ifSystemAllows(() => statSync(path, { bigint: true })));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

function requireProject(projects: readonly Project[], projectId: string): Project {
  const project = projects.find((candidate) => candidate.projectId === projectId);
  if (!project) throw new CrewError('PROJECT_NOT_FOUND', `There is no project with the id "${projectId}".`);
  return project;
}

interface ListChange<T> {
  readonly projects: Project[];
  readonly result: T;
}
