/**
 * Paths of the private store. The only module that knows the folder names. Does not access the disk.
 */
import { join } from 'node:path';
import type { LocalModels } from '../store.ts';
import type { WorkAddress } from '../work-address.ts';

/** Paths that do not belong to a Work. */
export interface StorePaths {
  readonly root: string;
  readonly settingsFile: string;
  readonly secretsFile: string;
  /** Held while tokens for an MCP server are renewed. */
  readonly loginLock: string;
  /** Message rules learned from errors of providers. */
  readonly learnedRulesFile: string;
  /** What was counted in the logs of runs. */
  readonly talliesFile: string;
  /** API keys that the operating system encrypted, for the desktop app. */
  readonly protectedSecrets: string;
  /** File with the list of projects; `projectsFolder` contains their data. */
  readonly projectList: string;
  /** Of the server of this store: its record, its lock, and the page that redirects a browser to it. */
  readonly server: string;
  readonly serverLock: string;
  readonly serverDoor: string;
  readonly serverToken: string;
  /** Of the app window: its port, the page that redirects it to the server, and the browser profile. */
  readonly windowRecord: string;
  readonly windowDoor: string;
  readonly windowProfile: string;
  /** Of the desktop app: data of Electron, and the position of its window. */
  readonly desktopProfile: string;
  readonly desktopWindow: string;
  readonly localModels: LocalModels;
  readonly packagesFolder: string;
  readonly projectsFolder: string;
  packageFolder(hash: string): string;
  /** Cache of a validated package; may be deleted at any time. */
  compiledPackage(hash: string): string;
  /** The hashes of its files. */
  packageSeal(hash: string): string;
  projectFolder(projectId: string): string;
  /** Journal of a person's changes to the files of a project. */
  fileJournal(projectId: string): string;
}

export interface StoreLayout extends StorePaths {
  /** Folder of all runs, or of all conversations, of a project. */
  worksFolder(projectId: string, isRun: boolean): string;
  work(address: WorkAddress): WorkPaths;
}

export interface WorkPaths {
  readonly folder: string;
  /** `run.json` or `conversation.json`. */
  readonly record: string;
  readonly log: string;
  /** Folder of tool results that are too long for a line of the log; undefined if all of them are in the log. */
  readonly outputs: string | undefined;
  /** The folder mounted as `@state`, and the state document of a run in it. */
  readonly state: string;
  readonly stateDocument: string;
  readonly journal: string;
  /** Views of the project that programs run in. */
  readonly views: string;
  readonly lock: string;
  readonly stop: string;
}

export function createStoreLayout(root: string): StoreLayout {
  const packagesFolder = join(root, 'packages');
  const projectsFolder = join(root, 'projects');
  const localModels = join(root, 'local-models');
  const projectFolder = (projectId: string): string => join(projectsFolder, requireId(projectId));
  const worksFolder = (projectId: string, isRunFolder: boolean): string =>
    join(projectFolder(projectId), isRunFolder ? 'runs' : 'conversations');
  return {
    root,
    settingsFile: join(root, 'settings.json'),
    secretsFile: join(root, 'secrets.json'),
    loginLock: join(root, 'login.lock'),
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
    localModels: {
      folder: localModels,
      runtime: join(localModels, 'runtime'),
      host: join(localModels, 'host.mjs'),
      weights: (model) => join(localModels, 'weights', `${model}.gguf`),
    },
    talliesFile: join(root, 'cache', 'tallies.json'),
    learnedRulesFile: join(root, 'cache', 'learned-rules.json'),
    packagesFolder,
    projectsFolder,
    packageFolder: (hash) => join(packagesFolder, hash),
    packageSeal: (hash) => join(packagesFolder, `${hash}.json`),
    compiledPackage: (hash) => join(root, 'cache', 'packages', `${hash}.json`),
    projectFolder,
    worksFolder,
    work: ({ projectId, workId, isRun: isRunFolder }) =>
      toWorkPaths(join(worksFolder(projectId, isRunFolder), requireId(workId)), isRunFolder),
    fileJournal: (projectId) => join(projectFolder(projectId), 'files', 'journal'),
  };
}

/** Paths within the folder of a Work, which may be a staging folder. */
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
    views: join(folder, 'views'),
    lock: join(folder, 'lock'),
    stop: join(folder, 'stop'),
  };
}

const ROOT_ENTRY =
  /^(?:(?:settings|secrets|secrets\.protected|projects|server|server-token|window)\.json|server|window|desktop|open\.html|login|packages|projects|local-models|cache)(?:\.lock(?:\.claims)?)?$/;

/** Whether a name in the root of the store belongs to the layout: a file, its lock, or a temporary file. */
export function isStoreEntry(name: string): boolean {
  return ROOT_ENTRY.test(name) || name.startsWith('.');
}

/** Ids become parts of paths, so an invalid one must not get any further. */
function requireId(id: string): string {
  if (!isStoreId(id)) throw new Error(`"${id}" is not a valid store id`);
  return id;
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a name has the format of an id. */
export function isStoreId(name: string): boolean {
  return ID.test(name);
}
