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
  conversationsFolder(projectId: string): string;
  conversation(address: ConversationAddress): ConversationPaths;
  /** Of what a person did to the files of a project. */
  fileJournal(projectId: string): string;
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

/** What tells a conversation from all others. */
export interface ConversationAddress {
  readonly projectId: string;
  readonly conversationId: string;
}

export interface ConversationPaths {
  readonly folder: string;
  /** `conversation.json`. */
  readonly record: string;
  readonly log: string;
  /** What tools answered, where that is too long for a line of the log. */
  readonly outputs: string;
  /** What the talk sees as `@state`. */
  readonly state: string;
  readonly journal: string;
  readonly lock: string;
  readonly stop: string;
}

export function createStoreLayout(root: string): StoreLayout {
  const [packages, projects] = [join(root, 'packages'), join(root, 'projects')];
  const projectFolder = (projectId: string): string => join(projects, requireId(projectId));
  const runsFolder = (projectId: string): string => join(projectFolder(projectId), 'runs');
  const conversationsFolder = (projectId: string): string => join(projectFolder(projectId), 'conversations');
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
    conversationsFolder,
    conversation: ({ projectId, conversationId }) =>
      toConversationPaths(join(conversationsFolder(projectId), requireId(conversationId))),
    fileJournal: (projectId) => join(projectFolder(projectId), 'files', 'journal'),
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

/** The parts of a conversation, wherever its folder is. */
export function toConversationPaths(folder: string): ConversationPaths {
  return {
    folder,
    record: join(folder, 'conversation.json'),
    log: join(folder, 'messages.jsonl'),
    outputs: join(folder, 'outputs'),
    state: join(folder, 'state'),
    journal: join(folder, 'journal'),
    lock: join(folder, 'lock'),
    stop: join(folder, 'stop'),
  };
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ROOT_ENTRY =
  /^(?:(?:settings|secrets|projects|server)\.json|server|open\.html|packages|projects|cache)(?:\.lock(?:\.claims)?)?$/;

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
