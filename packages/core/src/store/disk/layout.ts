/**
 * Where things lie in the private store. The only place that knows the folder names;
 * it names paths and never touches the disk.
 */
import { join } from 'node:path';
import type { WorkAddress } from '../work-address.ts';

/** What is not of a Work. */
export interface StorePaths {
  readonly root: string;
  readonly settings: string;
  readonly secrets: string;
  /** What providers want of messages, as far as their complaints taught it. */
  readonly learnedRules: string;
  /** API keys that the operating system encrypted, for the desktop app. */
  readonly protectedSecrets: string;
  /** The file that lists the projects; `projects` is the folder with what belongs to each. */
  readonly projectList: string;
  /** Who serves this store, the lock that process holds, and the page that leads a browser to it. */
  readonly server: string;
  readonly serverLock: string;
  readonly serverDoor: string;
  readonly serverToken: string;
  /** Of a window of our own: its port, the page that leads it to the server, and the profile of the browser that draws it. */
  readonly windowRecord: string;
  readonly windowDoor: string;
  readonly windowProfile: string;
  /** Of the desktop app: what Electron keeps, and where its window was. */
  readonly desktopProfile: string;
  readonly desktopWindow: string;
  /** Built-in models, and the part that runs them. */
  readonly localModels: string;
  readonly packages: string;
  readonly projects: string;
  packageFolder(hash: string): string;
  /** Of what validation made of a package; may be deleted at any time. */
  compiledPackage(hash: string): string;
  projectFolder(projectId: string): string;
  /** Of what a person did to the files of a project. */
  fileJournal(projectId: string): string;
}

export interface StoreLayout extends StorePaths {
  /** Of all runs, or of all conversations of a project. */
  worksFolder(projectId: string, isRun: boolean): string;
  work(address: WorkAddress): WorkPaths;
}

export interface WorkPaths {
  readonly folder: string;
  /** `run.json` or `conversation.json`. */
  readonly record: string;
  readonly log: string;
  /** What tools answered, where that is too long for a line of the log; undefined where all of it is in the lines. */
  readonly outputs: string | undefined;
  /** What the model sees as `@state`, and a run's state document in it. */
  readonly state: string;
  readonly stateDocument: string;
  readonly journal: string;
  readonly lock: string;
  readonly stop: string;
}

export function createStoreLayout(root: string): StoreLayout {
  const [packages, projects] = [join(root, 'packages'), join(root, 'projects')];
  const projectFolder = (projectId: string): string => join(projects, requireId(projectId));
  const worksFolder = (projectId: string, isRunFolder: boolean): string =>
    join(projectFolder(projectId), isRunFolder ? 'runs' : 'conversations');
  return {
    root,
    settings: join(root, 'settings.json'),
    secrets: join(root, 'secrets.json'),
    protectedSecrets: join(root, 'secrets.protected.json'),
    projectList: join(root, 'projects.json'),
    server: join(root, 'server.json'),
    serverLock: join(root, 'server.lock'),
    serverDoor: join(root, 'open.html'),
    serverToken: join(root, 'server-token.json'),
    windowRecord: join(root, 'window.json'),
    windowDoor: join(root, 'window', 'open.html'),
    windowProfile: join(root, 'window', 'profile'),
    desktopProfile: join(root, 'desktop', 'profile'),
    desktopWindow: join(root, 'desktop', 'window.json'),
    localModels: join(root, 'local-models'),
    learnedRules: join(root, 'cache', 'learned-rules.json'),
    packages,
    projects,
    packageFolder: (hash) => join(packages, hash),
    compiledPackage: (hash) => join(root, 'cache', 'packages', `${hash}.json`),
    projectFolder,
    worksFolder,
    work: ({ projectId, workId, isRun: isRunFolder }) =>
      toWorkPaths(join(worksFolder(projectId, isRunFolder), requireId(workId)), isRunFolder),
    fileJournal: (projectId) => join(projectFolder(projectId), 'files', 'journal'),
  };
}

/** The parts of a Work, wherever its folder is. */
export function toWorkPaths(folder: string, isRunFolder: boolean): WorkPaths {
  const state = join(folder, 'state');
  return {
    folder,
    record: join(folder, isRunFolder ? 'run.json' : 'conversation.json'),
    log: isRunFolder ? join(folder, 'logs', 'execution.jsonl') : join(folder, 'messages.jsonl'),
    outputs: isRunFolder ? undefined : join(folder, 'outputs'),
    state,
    stateDocument: join(state, 'workflow.md'),
    journal: join(folder, 'journal'),
    lock: join(folder, 'lock'),
    stop: join(folder, 'stop'),
  };
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ROOT_ENTRY =
  /^(?:(?:settings|secrets|secrets\.protected|projects|server|server-token|window)\.json|server|window|desktop|open\.html|packages|projects|local-models|cache)(?:\.lock(?:\.claims)?)?$/;

/** Whether a name in the root of the store is one of ours: a file of the layout, its lock, or work in progress. */
export function isStoreEntry(name: string): boolean {
  return ROOT_ENTRY.test(name) || name.startsWith('.');
}

/** Whether a name can be a project's, a run's or a conversation's. */
export function isStoreId(name: string): boolean {
  return ID.test(name);
}

/** Ids become parts of paths: one that is none must never get this far. */
function requireId(id: string): string {
  if (!isStoreId(id)) throw new Error(`"${id}" is no id of the store`);
  return id;
}
