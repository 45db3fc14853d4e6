/**
 * Where things lie in the private store. The only place that knows the folder names;
 * it names paths and never touches the disk.
 */
import { join } from 'node:path';

export interface StoreLayout {
  readonly root: string;
  readonly settings: string;
  readonly secrets: string;
  /** The file that lists the projects; `projects` is the folder with what belongs to each. */
  readonly projectList: string;
  /** Who serves this store, the lock that process holds, and the page that leads a browser to it. */
  readonly server: string;
  readonly serverLock: string;
  readonly serverDoor: string;
  readonly packages: string;
  readonly projects: string;
  packageFolder(hash: string): string;
  /** Of what validation made of a package; may be deleted at any time. */
  compiledPackage(hash: string): string;
  projectFolder(projectId: string): string;
  runsFolder(projectId: string): string;
  run(address: RunAddress): RunPaths;
}

/** What tells a run from all others. */
export interface RunAddress {
  readonly projectId: string;
  readonly runId: string;
}

export interface RunPaths {
  readonly folder: string;
  /** `run.json`. */
  readonly record: string;
  /** What a run sees as `@state`, and the state document in it. */
  readonly state: string;
  readonly stateDocument: string;
  readonly logs: string;
  readonly log: string;
  readonly journal: string;
  readonly lock: string;
  readonly stop: string;
}

export function createStoreLayout(root: string): StoreLayout {
  const [packages, projects] = [join(root, 'packages'), join(root, 'projects')];
  const projectFolder = (projectId: string): string => join(projects, requireId(projectId));
  const runsFolder = (projectId: string): string => join(projectFolder(projectId), 'runs');
  return {
    root,
    settings: join(root, 'settings.json'),
    secrets: join(root, 'secrets.json'),
    projectList: join(root, 'projects.json'),
    server: join(root, 'server.json'),
    serverLock: join(root, 'server.lock'),
    serverDoor: join(root, 'open.html'),
    packages,
    projects,
    packageFolder: (hash) => join(packages, hash),
    compiledPackage: (hash) => join(root, 'cache', 'packages', `${hash}.json`),
    projectFolder,
    runsFolder,
    run: ({ projectId, runId }) => toRunPaths(join(runsFolder(projectId), requireId(runId))),
  };
}

/** The parts of a run, wherever its folder is. */
export function toRunPaths(folder: string): RunPaths {
  const [state, logs] = [join(folder, 'state'), join(folder, 'logs')];
  return {
    folder,
    record: join(folder, 'run.json'),
    state,
    stateDocument: join(state, 'workflow.md'),
    logs,
    log: join(logs, 'execution.jsonl'),
    journal: join(folder, 'journal'),
    lock: join(folder, 'lock'),
    stop: join(folder, 'stop'),
  };
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a name can be a project's or a run's. */
export function isStoreId(name: string): boolean {
  return ID.test(name);
}

/** Ids become parts of paths: one that is none must never get this far. */
function requireId(id: string): string {
  if (!isStoreId(id)) throw new Error(`"${id}" is no id of the store`);
  return id;
}
