/**
 * Management of MCP servers: list, add, change, remove, import, approve, test. Loads the client only for a test.
 */
import {
  isStdio,
  type ListedServer,
  type McpServer,
  type ServerList,
  type ServerStatus,
  type ServerTest,
  type ServerTool,
  serverIdSchema,
} from '@crewagent/protocol/mcp';
import type { Project } from '@crewagent/protocol/project';
import type { SandboxOptions } from '@crewagent/protocol/sandbox';
import { CrewError } from '../base/crew-error.ts';
import { findProjectSandbox, findSandbox } from '../processes/sandbox.ts';
import type { SettingsChange } from '../store/settings-store.ts';
import type { UserStore } from '../store/store.ts';
import type { McpConnection } from './connection.ts';
import { openLoginRecord } from './login-record.ts';
import { parseServersFile } from './parse-servers-file.ts';
import type { PendingLogin } from './pending-logins.ts';
import { readProjectServers } from './project-servers.ts';
import { resolveByName, resolveOwnServer } from './resolve-servers.ts';
import { LoginRequired, ServerFailure } from './server-failure.ts';
import { addressOf, type ResolvedServer } from './server-target.ts';
import { toToolName } from './tool-names.ts';

/** What this process knows about servers. */
export interface LiveServers {
  connection(server: ResolvedServer): McpConnection | undefined;
  login(server: ResolvedServer): PendingLogin | undefined;
}

/** Lists the servers of the settings, and of the project if there is one. */
export async function listServers(
  store: UserStore,
  project?: Project,
  live: LiveServers = NOTHING_LIVE,
): Promise<ServerList> {
  const settings = await store.settings.load();
  const { servers: own } = settings.mcp;
  const fromSettings = Object.entries(own).map(async ([id, server]) => {
    const resolved = await resolveOwnServer(store, project ?? CURRENT_FOLDER, id, server);
    const storedValues = Object.keys(await store.secrets.readServer(id, addressOf(server)));
    const state = await readState(store, resolved, live);
    return { ...toListed(resolved, { server, isApproved: true, storedValues }), ...state };
  });
  const { servers, issues } = project ? await readProjectServers(project) : { servers: [], issues: [] };
  const fromProject = servers.map(async (resolved) => ({
    ...toListed(resolved, {
      server: resolved.server,
      isApproved: (project?.servers ?? []).some(
        (approved) => approved.server === resolved.id && approved.hash === resolved.hash,
      ),
      storedValues: Object.keys(resolved.values),
    }),
    ...(await readState(store, resolved, live)),
  }));
  const shadowed = servers.filter(({ id }) => Object.hasOwn(own, id));
  return {
    enabled: settings.tools.mcp.enabled,
    sandbox: (await (project ? findProjectSandbox(project.path) : findSandbox())).state,
    servers: await Promise.all([...fromSettings, ...fromProject]),
    issues: [
      ...issues,
      ...shadowed.map(
        ({ id }) => `"${id}": a server in your settings has the same name and is used instead.`,
      ),
    ],
  };
}

const CURRENT_FOLDER = { path: '.' };
const NOTHING_LIVE: LiveServers = { connection: () => undefined, login: () => undefined };

function toListed(
  { id, origin, hash }: ResolvedServer,
  shown: Pick<ListedServer, 'server' | 'isApproved' | 'storedValues'>,
): Omit<ListedServer, 'status'> {
  return { id, origin, hash, ...shown };
}

async function readState(
  store: UserStore,
  resolved: ResolvedServer,
  live: LiveServers,
): Promise<Pick<ListedServer, 'status' | 'login' | 'tools'>> {
  const connection = live.connection(resolved);
  const pending = live.login(resolved);
  const stored = await openLoginRecord(store, resolved)?.read();
  const isRequired = stored?.challenge !== undefined;
  const status: ServerStatus = connection?.status ?? { state: 'stopped' };
  const tools = connection && status.state === 'ready' ? toServerTools(resolved.id, connection) : undefined;
  const login = { isSignedIn: stored?.grant !== undefined, isRequired, ...pending };
  return {
    // The connection notices a login, or the need of one, with its next request.
    status: /^(?:stopped|needs-login)$/.test(status.state)
      ? { state: isRequired ? 'needs-login' : 'stopped' }
      : status,
    ...(stored || pending ? { login } : {}),
    ...(tools ? { tools } : {}),
  };
}

function toServerTools(id: string, { tools }: McpConnection): ServerTool[] {
  return tools.map(({ name, description = '', annotations }) => ({
    name: toToolName(id, name),
    ownName: name,
    description: description.slice(0, 500),
    isReadOnly: annotations?.readOnlyHint === true,
  }));
}

/** Adds or replaces a server, including its values. */
export async function putServer(
  store: UserStore,
  id: string,
  server: McpServer,
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  const parsed = serverIdSchema.safeParse(id);
  if (!parsed.success)
    throw new CrewError('USAGE', `"${id}" is not a valid server name: ${parsed.error.issues[0]?.message}.`);
  const known = (await store.settings.load()).mcp.servers[id] ?? {};
  const cleared = Object.fromEntries(Object.keys(known).map((key) => [key, null]));
  const named = isStdio(server) ? { env: Object.keys(values) } : { headers: Object.keys(values) };
  const change = { mcp: { servers: { [id]: { ...cleared, ...server, ...named } } } };
  await store.settings.update(change as SettingsChange);
  await store.secrets.writeServer(id, { address: addressOf(server), values });
  // A login is for one address.
  const isSameAddress = Object.keys(known).length > 0 && addressOf(known as McpServer) === addressOf(server);
  if (!isSameAddress) await store.secrets.writeLogin(id, undefined);
}

export interface ServerSwitches {
  readonly enabled?: boolean | undefined;
  readonly trusted?: boolean | undefined;
  readonly disabledTools?: readonly string[] | undefined;
  /** null: without a sandbox. */
  readonly sandbox?: SandboxOptions | null | undefined;
}

export async function switchServer(store: UserStore, id: string, switches: ServerSwitches): Promise<void> {
  const server = await requireServer(store, id);
  if (switches.sandbox && !isStdio(server))
    throw new CrewError(
      'USAGE',
      `The MCP server "${id}" is reached over HTTP, so a sandbox cannot contain it.`,
    );
  await store.settings.update({ mcp: { servers: { [id]: switches } } } as SettingsChange);
}

export async function removeServer(store: UserStore, id: string): Promise<void> {
  const server = await requireServer(store, id);
  await store.settings.update({ mcp: { servers: { [id]: null } } } as SettingsChange);
  await store.secrets.writeServer(id, { address: addressOf(server), values: {} });
  await store.secrets.writeLogin(id, undefined);
}

async function requireServer(store: UserStore, id: string): Promise<McpServer> {
  const { servers } = (await store.settings.load()).mcp;
  const server = Object.hasOwn(servers, id) ? servers[id] : undefined;
  if (server) return server;
  throw new CrewError('MCP_SERVER_NOT_FOUND', `The settings have no MCP server "${id}".`);
}

export interface ImportedServers {
  readonly added: readonly string[];
  /** Entries that were skipped, and why. */
  readonly issues: readonly string[];
}

/** Adds the servers of another program's file. Existing servers are not changed. */
export async function importServers(store: UserStore, text: string): Promise<ImportedServers> {
  const { servers, issues } = parseServersFile(text);
  const known = new Set(Object.keys((await store.settings.load()).mcp.servers));
  const fresh = servers.filter(({ id }) => !known.has(id));
  for (const { id, server, values } of fresh) await putServer(store, id, server, values);
  const existing = servers.filter(({ id }) => known.has(id));
  return {
    added: fresh.map(({ id }) => id),
    issues: [...issues, ...existing.map(({ id }) => `"${id}": a server with this name already exists.`)],
  };
}

/** Approves a definition of the project's file that a person has seen. Throws if it has changed since. */
export async function approveServer(
  store: UserStore,
  projectId: string,
  { id, hash }: { readonly id: string; readonly hash: string },
): Promise<void> {
  const project = await store.projects.read(projectId);
  const { servers } = await readProjectServers(project);
  if (!servers.some((server) => server.id === id && server.hash === hash))
    throw new CrewError(
      'MCP_SERVER_NOT_FOUND',
      `The MCP server "${id}" of the project has changed. Check the list and approve it again.`,
    );
  await store.projects.update(projectId, (latest) => ({
    ...latest,
    servers: [...(latest.servers ?? []).filter(({ server }) => server !== id), { server: id, hash }],
  }));
}

export async function revokeServer(store: UserStore, projectId: string, id: string): Promise<void> {
  await store.projects.update(projectId, (latest) => ({
    ...latest,
    servers: (latest.servers ?? []).filter(({ server }) => server !== id),
  }));
  await store.secrets.writeLogin(`${projectId}/${id}`, undefined);
}

/** Starts a separate instance for the test, lists its tools, and stops it. */
export async function testServer(
  store: UserStore,
  id: string,
  { project, signal }: { readonly project?: Project | undefined; readonly signal: AbortSignal },
): Promise<ServerTest> {
  const { path } = project ?? { path: process.cwd() };
  const resolved = await resolveByName(store, id, project);
  const { McpConnection } = await import('./connection.ts');
  const { createServerAuth } = await import('./server-auth.ts');
  const { target, secrets } = resolved;
  const login = openLoginRecord(store, resolved);
  const connection = new McpConnection({
    target,
    project: path,
    secrets,
    auth: login && createServerAuth(login),
  });
  const start = performance.now();
  const end = (ok: boolean, failure?: ServerFailure): ServerTest => {
    const { stderr } = connection.status;
    return {
      ok,
      ms: Math.round(performance.now() - start),
      ...(failure ? { error: failure.message } : {}),
      ...(failure instanceof LoginRequired ? { needsLogin: true } : {}),
      ...(stderr === undefined ? {} : { stderr }),
      tools: ok ? toServerTools(id, connection) : [],
    };
  };
  try {
    await connection.ready(signal);
    return end(true);
  } catch (error) {
    if (error instanceof ServerFailure) return end(false, error);
    throw error;
  } finally {
    await connection.close();
  }
}
