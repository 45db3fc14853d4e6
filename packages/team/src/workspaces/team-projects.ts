/**
 * The projects of a team as rows, behind the port of the store. A project has no path of its own: `team:` with its id stands for one where
 * a project is opened or listed, and the folder with its files comes from the caller.
 */
import { CrewError } from '@crewagent/core';
import { createUuidV7, type ProjectStore } from '@crewagent/core/store';
import { type Project, projectSchema } from '@crewagent/protocol/project';
import { ConnectionLost, type Database, type Queries } from '../database/database.ts';
import { type ProjectSource, parseSource, requireSource, type SourceRules } from './project-source.ts';
import { projectNotFound } from './project-versions.ts';

export interface TeamProjects extends ProjectStore {
  create(draft: ProjectDraft): Promise<Project>;
  sourceOf(projectId: string): Promise<ProjectSource>;
}

interface ProjectDraft {
  readonly name: string;
  readonly source: ProjectSource;
  readonly now: () => Date;
}

export interface TeamProjectsOptions extends SourceRules {
  readonly database: Database;
  /** The folder with the files of a project, on this machine. */
  readonly pathOf: (projectId: string) => Promise<string>;
}

const PREFIX = 'team:';
/** Resolution of `lastOpenedAt`. */
const OPENED_RESOLUTION_MS = 60_000;

export function createTeamProjects({ database, pathOf, ...rules }: TeamProjectsOptions): TeamProjects {
  const withFolder = async (project: Project): Promise<Project> => ({
    ...project,
    path: await pathOf(project.projectId),
  });
  const update = (projectId: string, change: (project: Project) => Project): Promise<Project> =>
    repeatIfLost(() =>
      database.transaction(async (queries) => {
        const project = await readProject(queries, projectId, 'for no key update');
        const changed = change(project);
        if (changed !== project)
          await queries.write('update projects set document = $2 where project_id = $1', [
            projectId,
            formatProject(changed),
          ]);
        return changed;
      }),
    );
  const remove = async (projectId: string): Promise<void> => {
    try {
      await database.read('delete from projects where project_id = $1', [projectId]);
    } catch (error) {
      if (!isStillUsed(error)) throw error;
      const message = 'A run was started in this project meanwhile. Stop it, then remove the project again.';
      throw new CrewError('RUN_LOCKED', message, { cause: error });
    }
  };

  return {
    label: 'projects of the team',
    addressOf: (projectId) => PREFIX + projectId,
    async create({ name, source, now }) {
      const at = now().toISOString();
      const projectId = createUuidV7(now)();
      const path = PREFIX + projectId;
      const project = projectSchema.parse({
        projectId,
        path,
        name: name.trim(),
        createdAt: at,
        lastOpenedAt: at,
        approvals: [],
      });
      await database.read(
        'insert into projects (project_id, document, source) values ($1, $2, $3) on conflict do nothing',
        [projectId, formatProject(project), JSON.stringify(requireSource(source, rules))],
      );
      return project;
    },
    async sourceOf(projectId) {
      const [row] = await database.read<{ source: string }>(
        'select source from projects where project_id = $1',
        [projectId],
      );
      if (!row) throw projectNotFound(projectId);
      return parseSource(row.source);
    },

    async open(path, { now }) {
      const project = await readProject(database, requireId(path));
      if (now().getTime() - Date.parse(project.lastOpenedAt) < OPENED_RESOLUTION_MS)
        return withFolder(project);
      const lastOpenedAt = now().toISOString();
      return withFolder(await update(project.projectId, (latest) => ({ ...latest, lastOpenedAt })));
    },
    async find(path) {
      if (!path.startsWith(PREFIX)) return undefined;
      const [project] = await readProjects(database, [path.slice(PREFIX.length)]);
      return project && withFolder(project);
    },
    // Making a folder of each of them would take long: they are for people.
    list: async () =>
      (await readProjects(database, undefined)).sort((a, b) => (a.lastOpenedAt < b.lastOpenedAt ? 1 : -1)),
    read: async (projectId) => withFolder(await readProject(database, projectId)),
    update: async (projectId, change) => withFolder(await update(projectId, change)),
    relink: () => {
      throw new CrewError('USAGE', 'A project of a team has no folder that can be moved.');
    },
    // A Work refers to its project, so that the database refuses one in a project that was removed.
    async whileStays(projectId, work) {
      await readProject(database, projectId);
      return work();
    },
    async remove(projectId, retire) {
      await readProject(database, projectId);
      const { putBack } = await retire();
      try {
        await remove(projectId);
      } catch (error) {
        await putBack();
        throw error;
      }
    },
  };
}

function requireId(path: string): string {
  if (path.startsWith(PREFIX)) return path.slice(PREFIX.length);
  throw new CrewError(
    'USAGE',
    'A team server opens no folders of a machine. Choose a project of the team, or create one.',
  );
}

interface ProjectRow {
  readonly project_id: string;
  readonly document: string;
}

async function readProject({ read }: Queries, projectId: string, locking = ''): Promise<Project> {
  const [row] = await read<ProjectRow>(
    `select project_id, document from projects where project_id = $1 ${locking}`,
    [projectId],
  );
  if (!row) throw projectNotFound(projectId);
  return parseProject(row);
}

async function readProjects({ read }: Queries, ids: readonly string[] | undefined): Promise<Project[]> {
  const rows = await read<ProjectRow>(
    'select project_id, document from projects where $1::text[] is null or project_id = any($1::text[])',
    [ids ?? null],
  );
  return rows.map(parseProject);
}

function parseProject({ project_id: projectId, document }: ProjectRow): Project {
  return projectSchema.parse({ ...(JSON.parse(document) as object), projectId, path: PREFIX + projectId });
}

function formatProject({ projectId: _, path: _path, ...document }: Project): string {
  return JSON.stringify(document);
}

/** `work` may be executed twice. */
async function repeatIfLost<T>(work: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
    }
}

/** A row of another table refers to it. */
function isStillUsed(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === '23503';
}
