/**
 * The table of rights: what each endpoint of the API needs on a team server, and where a call names the projects and Works it is about.
 * An endpoint without an entry does not compile; one without a right is absent.
 */
import type { TeamEndpoints } from '@crewagent/protocol/api/accounts';
import type { Endpoints } from '@crewagent/protocol/api/endpoints';
import { findGlobalCommand } from '@crewagent/protocol/commands';
import { fold } from '@crewagent/protocol/folded-text';
import type { Role } from '@crewagent/protocol/roles';

/**
 * `anyone`: also somebody who is not signed in. `person`: signed in, also with a token. `self`: in a session; for the account itself.
 * `admin`: an administrator in a session. A role: in the projects of the call, or in any project if it names none.
 */
export type Need = 'anyone' | 'person' | 'self' | 'admin' | Role;

/** A field of a call. */
export type Field = `${'params' | 'query' | 'body'}.${string}`;

export interface Rule {
  readonly needs: Need;
  /** Fields with ids of projects; the person needs the role in each of them. */
  readonly projects?: readonly Field[];
  /** Fields with ids of Works, which belong to projects. */
  readonly works?: readonly Field[];
  /** Need of a call that names no project; default: the role in any project. */
  readonly otherwise?: Need;
  /** Need of a call with this body, in addition. */
  readonly bodyNeeds?: (body: Readonly<Record<string, unknown>>) => Role | 'admin' | undefined;
  /** Whether a call with this body approves what a Work wants to do. */
  readonly approves?: (body: Readonly<Record<string, unknown>>) => boolean;
  /** Fields of the body that the audit log contains. */
  readonly noted?: readonly string[];
  /** Changes nothing that others could see. */
  readonly isUnaudited?: true;
}

type Table<Groups> = {
  readonly [Group in keyof Groups]: { readonly [Name in keyof Groups[Group]]: Rule | 'absent' };
};

const inProject = (needs: Role, more: Partial<Rule> = {}): Rule => ({
  needs,
  projects: ['params.projectId'],
  ...more,
});
const ofWork = (needs: Role, more: Partial<Rule> = {}): Rule => ({
  needs,
  works: ['params.workId'],
  ...more,
});
/** A list of everything that the person may see, or of one project. */
const visible = (field: Field): Rule => ({ needs: 'view', projects: [field], otherwise: 'person' });
/** Without asking anybody: as far as an approval goes. */
const isAutopilot = ({ approval }: Readonly<Record<string, unknown>>): boolean => approval === 'autopilot';

/** The command that a person types instead of `works.allowChange`. */
function isConsent({ text }: Readonly<Record<string, unknown>>): boolean {
  const line = fold(String(text)).trim();
  return /^[*/、]/u.test(line) && findGlobalCommand(line.slice(1).trim()) === 'run.allow-change';
}

/** A folder that all machines share can be any folder of theirs. */
const isFromFolder = ({ source }: Readonly<Record<string, unknown>>): boolean =>
  (source as { readonly kind?: unknown } | undefined)?.kind === 'folder';

const PERSON: Rule = { needs: 'person' };
const SELF: Rule = { needs: 'self' };
const ANYONE: Rule = { needs: 'anyone' };
const ADMIN: Rule = { needs: 'admin' };

export const RIGHTS: Table<Endpoints & TeamEndpoints> = {
  projects: {
    list: PERSON,
    open: 'absent',
    show: inProject('view'),
    relink: 'absent',
    revoke: inProject('manage', { noted: ['tool', 'path'] }),
    clear: inProject('manage'),
    forget: inProject('manage'),
    shell: inProject('view'),
    changeShell: inProject('manage', {
      // Folders of the workers, in which files of other projects are.
      bodyNeeds: ({ folders }) => (Array.isArray(folders) && folders.length > 0 ? 'admin' : undefined),
      noted: ['enabled', 'network', 'hosts', 'folders', 'git', 'allow'],
    }),
    close: inProject('run'),
    events: inProject('view'),
  },
  folders: { list: 'absent', create: 'absent' },
  files: {
    list: inProject('view'),
    read: inProject('view'),
    download: inProject('view'),
    save: inProject('run', { noted: ['path'] }),
    createFile: inProject('run', { noted: ['path'] }),
    addSamples: 'absent',
    attach: inProject('run'),
    createFolder: inProject('run', { noted: ['path'] }),
    move: inProject('run', { noted: ['from', 'to'] }),
    remove: inProject('run', { noted: ['path', 'isFinal'] }),
    find: inProject('view'),
    reveal: 'absent',
    // A change is a version of the project, made in a copy that is gone afterwards.
    changes: 'absent',
    undo: 'absent',
    redo: 'absent',
    events: inProject('view'),
  },
  previews: { create: { needs: 'person', isUnaudited: true } },
  // Packages belong to the team: all of its people see them.
  packages: {
    list: PERSON,
    importPath: 'absent',
    upload: { needs: 'manage' },
    validate: 'absent',
    inspect: 'absent',
    inspectUpload: { needs: 'manage', isUnaudited: true },
    examples: PERSON,
    gallery: PERSON,
    installExample: { needs: 'manage' },
    users: ADMIN,
    show: PERSON,
    validation: PERSON,
    graph: PERSON,
    node: PERSON,
    prompt: PERSON,
    remove: ADMIN,
  },
  // A conversion is staged in a folder of one server.
  imports: {
    upload: 'absent',
    openPath: 'absent',
    graph: 'absent',
    rehearse: 'absent',
    progress: 'absent',
    install: 'absent',
    discard: 'absent',
  },
  // A team moves runs by `push` and `pull`, with its rights.
  bundles: {
    export: 'absent',
    keys: 'absent',
    upload: 'absent',
    openPath: 'absent',
    unlock: 'absent',
    plan: 'absent',
    adopt: 'absent',
    discard: 'absent',
  },
  // Package folders are on the machine of their author.
  authoring: {
    open: 'absent',
    create: 'absent',
    show: 'absent',
    read: 'absent',
    edit: 'absent',
    undo: 'absent',
    redo: 'absent',
    prompt: 'absent',
    rehearse: 'absent',
    test: 'absent',
    events: 'absent',
  },
  works: {
    list: { ...visible('query.project'), works: ['query.id'] },
    create: {
      needs: 'run',
      projects: ['body.projectId'],
      bodyNeeds: (body) => (isAutopilot(body) ? 'approve' : undefined),
      approves: isAutopilot,
      noted: ['kind', 'packageHash', 'workflow', 'model', 'approval'],
    },
    show: ofWork('view'),
    position: ofWork('view'),
    change: ofWork('run', {
      bodyNeeds: (body) => (isAutopilot(body) ? 'approve' : undefined),
      approves: isAutopilot,
      noted: ['title', 'isArchived', 'approval'],
    }),
    remove: ofWork('manage'),
    input: ofWork('run', {
      bodyNeeds: (body) => (isConsent(body) ? 'approve' : undefined),
      approves: isConsent,
    }),
    withdraw: ofWork('run'),
    answer: ofWork('run', { noted: ['callId'] }),
    approve: ofWork('approve', {
      approves: ({ decision }) => decision !== 'no',
      noted: ['callId', 'decision', 'reach', 'shown'],
    }),
    stop: ofWork('run'),
    stopQuestion: ofWork('run', { noted: ['callId'] }),
    resume: { needs: 'run', works: ['params.workId', 'body.runId'], noted: ['model', 'runId'] },
    waive: ofWork('approve', { approves: () => true, noted: ['check', 'reason'] }),
    skip: ofWork('run', { noted: ['to', 'nodeId'] }),
    enterAgent: ofWork('run', { noted: ['packageHash', 'agent'] }),
    dismissAgent: ofWork('run'),
    startWorkflow: ofWork('run', { noted: ['packageHash', 'workflow'] }),
    setModel: ofWork('run', { noted: ['model'] }),
    // Folders of authors are not on the server.
    saveTest: 'absent',
    // Forks need the folder of a project on one machine.
    planFork: 'absent',
    fork: 'absent',
    forks: 'absent',
    undeclared: 'absent',
    declare: 'absent',
    planRerun: 'absent',
    rerun: 'absent',
    compare: 'absent',
    compareFile: 'absent',
    allowChange: ofWork('approve', { approves: () => true }),
    changes: ofWork('view'),
    undo: ofWork('run'),
    redo: ofWork('run'),
    state: ofWork('view'),
    editState: ofWork('run'),
    checkState: ofWork('view', { isUnaudited: true }),
    rewind: ofWork('run', { noted: ['nodeId', 'undoesFiles'] }),
    fileDiff: ofWork('view'),
    fileVersion: ofWork('view'),
    findFiles: ofWork('view'),
    context: ofWork('view'),
    resumePreview: ofWork('view'),
    stale: ofWork('view'),
    contextSize: ofWork('view'),
    request: ofWork('view'),
    menu: ofWork('view'),
    checkLog: ofWork('view'),
    evidence: ofWork('view'),
    items: ofWork('view'),
    log: ofWork('view'),
    exportFile: ofWork('view'),
    exportArtifact: ofWork('view'),
    showUpgrade: ofWork('view'),
    upgrade: ofWork('run', { noted: ['hash', 'packageHash'] }),
    events: ofWork('view'),
  },
  search: { find: visible('query.project') },
  costs: { show: PERSON },
  settings: {
    show: PERSON,
    update: ADMIN,
    inputs: visible('query.projectId'),
  },
  models: {
    list: PERSON,
    report: ADMIN,
    put: ADMIN,
    remove: ADMIN,
    setKey: { needs: 'admin', noted: ['keyName'] },
    removeKey: ADMIN,
    chooseKey: { needs: 'admin', noted: ['use', 'useNext'] },
    // Sends keys and requests to any address.
    test: ADMIN,
    listProviderModels: ADMIN,
    findLocalModels: 'absent',
    showBuiltin: 'absent',
    installBuiltin: 'absent',
    removeBuiltin: 'absent',
  },
  servers: {
    list: { needs: 'view', projects: ['query.projectId'], otherwise: 'admin' },
    put: ADMIN,
    update: { needs: 'admin', noted: ['enabled', 'trusted', 'sandbox'] },
    remove: ADMIN,
    test: { needs: 'admin', projects: ['body.projectId'] },
    login: { needs: 'admin', projects: ['body.projectId'] },
    logout: { needs: 'admin', projects: ['body.projectId'] },
    previewImport: ADMIN,
    import: { needs: 'admin', noted: ['servers'] },
    approve: inProject('manage', { noted: ['hash'] }),
    revoke: inProject('manage'),
  },
  // Programs of one person, on the machine of all.
  hooks: { list: 'absent', put: 'absent', remove: 'absent', test: 'absent' },
  streams: {
    carry: PERSON,
    // The stream that is added is checked by itself.
    add: { needs: 'person', isUnaudited: true },
    remove: { needs: 'person', isUnaudited: true },
  },
  system: {
    show: PERSON,
    // About the disk of one machine.
    storage: 'absent',
    diagnostics: 'absent',
    doctor: 'absent',
    openApi: PERSON,
    events: PERSON,
  },
  account: {
    methods: ANYONE,
    signIn: { needs: 'anyone', noted: ['email'] },
    signInByLink: ANYONE,
    acceptInvitation: ANYONE,
    startOidc: { needs: 'anyone', isUnaudited: true },
    startPasskey: { needs: 'anyone', isUnaudited: true },
    finishPasskey: ANYONE,
    signOut: { needs: 'self', noted: ['everywhere'] },
    me: PERSON,
    changePassword: SELF,
    sessions: SELF,
    endSession: SELF,
    tokens: SELF,
    createToken: {
      needs: 'self',
      projects: ['body.projectId'],
      noted: ['name', 'scope', 'projectId', 'days'],
    },
    revokeToken: SELF,
    passkeys: SELF,
    addPasskey: { needs: 'self', isUnaudited: true },
    finishAddingPasskey: { needs: 'self', noted: ['name'] },
    removePasskey: SELF,
  },
  people: {
    list: ADMIN,
    create: { needs: 'admin', noted: ['email', 'name', 'isAdmin'] },
    change: { needs: 'admin', noted: ['name', 'isAdmin', 'isDisabled'] },
    createLink: ADMIN,
  },
  members: {
    list: inProject('view'),
    put: inProject('manage', { noted: ['role'] }),
    remove: inProject('manage'),
    invitations: inProject('manage'),
    invite: inProject('manage', { noted: ['role', 'days'] }),
    revokeInvitation: inProject('manage'),
    policy: inProject('view'),
    setPolicy: inProject('manage', { noted: ['needsSecondPerson', 'labels'] }),
  },
  audit: {
    list: { needs: 'manage', projects: ['query.project'], otherwise: 'admin' },
    export: { needs: 'manage', projects: ['query.project'], otherwise: 'admin' },
  },
  teamProjects: {
    create: {
      needs: 'self',
      bodyNeeds: (body) => (isFromFolder(body) ? 'admin' : undefined),
      noted: ['name'],
    },
    source: inProject('view'),
    uploadArchive: inProject('run'),
    refresh: inProject('run'),
  },
  conflicts: {
    list: inProject('view'),
    resolve: inProject('run'),
  },
  inbox: {
    list: PERSON,
    handOver: ofWork('run', { noted: ['personId'] }),
    leave: ofWork('view', { isUnaudited: true }),
  },
  transfers: {
    missing: inProject('run', { isUnaudited: true }),
    // A content alone changes nothing.
    send: inProject('run', { isUnaudited: true }),
    receive: inProject('run'),
    show: ofWork('view'),
    content: ofWork('view'),
  },
  // What is listed is limited to the projects of the person.
  quotas: { list: PERSON, put: { needs: 'admin', noted: ['kind', 'subjectId', 'quota'] } },
  activity: { workers: PERSON, queue: PERSON, waiting: ofWork('view'), works: PERSON },
};
