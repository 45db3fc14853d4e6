/**
 * Paths of the private store. The only module that knows the folder names. Does not access the disk.
 */
import { join, sep } from 'node:path';
import type { LocalModels } from '../store.ts';
import type { WorkAddress } from '../work-address.ts';

export type StoreLayout = ReturnType<typeof createStoreLayout>;

/** Paths that do not belong to a Work. */
export type StorePaths = Omit<StoreLayout, 'worksFolder' | 'worksFolders' | 'work' | 'recordIn'>;

export type WorkPaths = ReturnType<typeof toWorkPaths>;

export function createStoreLayout(root: string) {
  const packagesFolder = join(root, 'packages');
  const projectsFolder = join(root, 'projects');
  const modelsFolder = join(root, 'local-models');
  const localModels: LocalModels = {
    folder: modelsFolder,
    runtime: join(modelsFolder, 'runtime'),
    host: join(modelsFolder, 'host.mjs'),
    weights: (model) => join(modelsFolder, 'weights', `${model}.gguf`),
  };
  const projectFolder = (projectId: string): string => join(projectsFolder, requireId(projectId));
  /** Folder of all runs, or of all conversations, of a project. */
  const worksFolder = (projectId: string, isRunFolder: boolean): string =>
    join(projectFolder(projectId), isRunFolder ? 'runs' : 'conversations');
  return {
    root,
    settingsFile: join(root, 'settings.json'),
    secretsFile: join(root, 'secrets.json'),
    /** Held while tokens for an MCP server are renewed. */
    loginLock: join(root, 'login.lock'),
    /** API keys that the operating system encrypted, for the desktop app. */
    protectedSecrets: join(root, 'secrets.protected.json'),
    /** File with the list of projects; `projectsFolder` contains their data. */
    projectList: join(root, 'projects.json'),
    /** Of the server of this store: its record, its lock, and the page that redirects a browser to it. */
    server: join(root, 'server.json'),
    serverLock: join(root, 'server.lock'),
    serverDoor: join(root, 'open.html'),
    serverToken: join(root, 'server-token.json'),
    /** Of the app window: its port, the page that redirects it to the server, and the browser profile. */
    windowRecord: join(root, 'window.json'),
    windowDoor: join(root, 'window', 'open.html'),
    windowProfile: join(root, 'window', 'profile'),
    /** Of the desktop app: data of Electron, and the position of its window. */
    desktopProfile: join(root, 'desktop', 'profile'),
    desktopWindow: join(root, 'desktop', 'window.json'),
    localModels,
    /** What was counted in the logs of runs. */
    talliesFile: join(root, 'cache', 'tallies.json'),
    fileUsesFile: join(root, 'cache', 'file-uses.json'),
    /** What can be searched of the logs. */
    searchFile: join(root, 'cache', 'search.jsonl'),
    /** Message rules learned from errors of providers. */
    learnedRulesFile: join(root, 'cache', 'learned-rules.json'),
    /** What has arrived of Works that are being pulled. */
    arrivalsFolder: join(root, 'cache', 'arrivals'),
    /** Works from files that are on their way into this store. */
    adoptionsFolder: join(root, 'adoptions'),
    /** Signers of packages, trusted keys, indexes; and the person's own keys. */
    sharingFile: join(root, 'sharing.json'),
    signingKeysFile: join(root, 'signing-keys.json'),
    packagesFolder,
    projectsFolder,
    packageFolder: (hash: string): string => join(packagesFolder, hash),
    /** The hashes of its files. */
    packageSeal: (hash: string): string => join(packagesFolder, `${hash}.json`),
    /** Where it was installed from. */
    packageOrigin: (hash: string): string => join(packagesFolder, `${hash}.origin.json`),
    /** Cache of a validated package; may be deleted at any time. */
    compiledPackage: (hash: string): string => join(root, 'cache', 'packages', `${hash}.json`),
    projectFolder,
    worksFolder,
    worksFolders: (projectId: string): string[] =>
      [true, false].map((isRun) => worksFolder(projectId, isRun)),
    work: ({ projectId, workId, isRun }: WorkAddress): WorkPaths =>
      toWorkPaths(join(worksFolder(projectId, isRun), requireId(workId)), isRun),
    /** Record of a Work in a folder of `worksFolder`; for loops over thousands of Works. */
    recordIn: (folder: string, { workId, isRun }: WorkAddress): string =>
      join(folder, workId, recordName(isRun)),
    /** Journal of a person's changes to the files of a project. */
    fileJournal: (projectId: string): string => join(projectFolder(projectId), 'files', 'journal'),
  };
}

/** Paths within the folder of a Work, which may be a staging folder. */
export function toWorkPaths(folder: string, isRunFolder: boolean) {
  // Each operation on a Work begins here, and `join` would normalize a dozen paths each time.
  const within = (name: string): string => `${folder}${sep}${name}`;
  const state = within('state');
  return {
    folder,
    record: within(recordName(isRunFolder)),
    log: within(isRunFolder ? `logs${sep}execution.jsonl` : 'messages.jsonl'),
    /** Folder of tool results that are too long for a line of the log; undefined if all of them are in the log. */
    outputs: isRunFolder ? undefined : within('outputs'),
    /** The folder mounted as `@state`, and the state document of a run in it. */
    state,
    stateDocument: within(`state${sep}workflow.md`),
    journal: within('journal'),
    /** Views of the project that programs run in. */
    views: within('views'),
    lock: within('lock'),
    stop: within('stop'),
  };
}

function recordName(isRun: boolean): string {
  return isRun ? 'run.json' : 'conversation.json';
}

const ROOT_ENTRY =
  /^(?:(?:settings|secrets|secrets\.protected|sharing|signing-keys|projects|server|server-token|window)\.json|server|window|desktop|open\.html|login|packages|projects|local-models|cache)(?:\.lock(?:\.claims)?)?$/;

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
