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
import type { StorePaths } from '../store/disk/layout.ts';
import { approveServers, readProject } from '../store/disk/project-store.ts';
import { readServerSecrets, writeServerSecrets } from '../store/disk/secrets-store.ts';
import { loadSettings, type SettingsChange, updateSettings } from '../store/disk/settings-store.ts';
import type { McpConnection } from './connection.ts';
import { parseServersFile } from './parse-servers-file.ts';
import { readProjectServers } from './project-servers.ts';
import { resolveOwnServer } from './resolve-servers.ts';
import { addressOf, type ResolvedServer } from './server-target.ts';
import { toToolName } from './tool-names.ts';

export type FindConnection = (server: ResolvedServer) => McpConnection | undefined;

/** Lists the servers of the settings, and of the project if there is one. */
export async function listServers(
  store: StorePaths,
  project?: Project,
  find: FindConnection = () => undefined,
): Promise<ServerList> {
  const settings = await loadSettings(store);
  const { servers: own } = settings.mcp;
  const fromSettings = Object.entries(own).map(async ([id, server]) => {
    const resolved = await resolveOwnServer(store, project ?? CURRENT_FOLDER, id, server);
    const storedValues = Object.keys(await readServerSecrets(store, id, addressOf(server)));
    return toListed(resolved, { server, isApproved: true, storedValues, connection: find(resolved) });
  });
  const { servers, issues } = project ? await readProjectServers(project) : { servers: [], issues: [] };
  const fromProject = servers.map((resolved) =>
    toListed(resolved, {
      server: resolved.server,
      isApproved: (project?.servers ?? []).some(
        (approved) => approved.server === resolved.id && approved.hash === resolved.hash,
      ),
      storedValues: Object.keys(resolved.values),
      connection: find(resolved),
    }),
  );
  const shadowed = servers.filter(({ id }) => Object.hasOwn(own, id));
  return {
    enabled: settings.tools.mcp.enabled,
    sandbox: (await (project ? findProjectSandbox(project.path) : findSandbox())).state,
    servers: [...(await Promise.all(fromSettings)), ...fromProject],
    issues: [
      ...issues,
      ...shadowed.map(
        ({ id }) => `"${id}": a server in your settings has the same name and is used instead.`,
      ),
    ],
  };
}

const CURRENT_FOLDER = { path: '.' };

function toListed(
  { id, origin, hash }: ResolvedServer,
  {
    server,
    isApproved,
    storedValues,
    connection,
  }: Pick<ListedServer, 'server' | 'isApproved' | 'storedValues'> & {
    readonly connection: McpConnection | undefined;
  },
): ListedServer {
  const status: ServerStatus = connection?.status ?? { state: 'stopped' };
  const tools = connection && status.state === 'ready' ? toServerTools(id, connection) : undefined;
  return { id, origin, server, hash, isApproved, storedValues, status, ...(tools ? { tools } : {}) };
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
  store: StorePaths,
  id: string,
  server: McpServer,
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  const parsed = serverIdSchema.safeParse(id);
  if (!parsed.success)
    throw new CrewError('USAGE', `"${id}" is not a valid server name: ${parsed.error.issues[0]?.message}.`);
  const known = (await loadSettings(store)).mcp.servers[id] ?? {};
  const cleared = Object.fromEntries(Object.keys(known).map((key) => [key, null]));
  const named = isStdio(server) ? { env: Object.keys(values) } : { headers: Object.keys(values) };
  const change = { mcp: { servers: { [id]: { ...cleared, ...server, ...named } } } };
  await updateSettings(store, change as SettingsChange);
  await writeServerSecrets(store, id, { address: addressOf(server), values });
}

export interface ServerSwitches {
  readonly enabled?: boolean | undefined;
  readonly trusted?: boolean | undefined;
  readonly disabledTools?: readonly string[] | undefined;
  /** null: without a sandbox. */
  readonly sandbox?: SandboxOptions | null | undefined;
}

export async function switchServer(store: StorePaths, id: string, switches: ServerSwitches): Promise<void> {
  const server = await requireServer(store, id);
  if (switches.sandbox && !isStdio(server))
    throw new CrewError(
      'USAGE',
      `The MCP server "${id}" is reached over HTTP, so a sandbox cannot contain it.`,
    );
  await updateSettings(store, { mcp: { servers: { [id]: switches } } } as SettingsChange);
}

export async function removeServer(store: StorePaths, id: string): Promise<void> {
  const server = await requireServer(store, id);
  await updateSettings(store, { mcp: { servers: { [id]: null } } } as SettingsChange);
  await writeServerSecrets(store, id, { address: addressOf(server), values: {} });
}

async function requireServer(store: StorePaths, id: string): Promise<McpServer> {
  const { servers } = (await loadSettings(store)).mcp;
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
export async function importServers(store: StorePaths, text: string): Promise<ImportedServers> {
  const { servers, issues } = parseServersFile(text);
  const known = new Set(Object.keys((await loadSettings(store)).mcp.servers));
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
  store: StorePaths,
  projectId: string,
  { id, hash }: { readonly id: string; readonly hash: string },
): Promise<void> {
  const project = await readProject(store, projectId);
  const { servers } = await readProjectServers(project);
  if (!servers.some((server) => server.id === id && server.hash === hash))
    throw new CrewError(
      'MCP_SERVER_NOT_FOUND',
      `The MCP server "${id}" of the project has changed. Check the list and approve it again.`,
    );
  const others = (project.servers ?? []).filter(({ server }) => server !== id);
  await approveServers(store, projectId, [...others, { server: id, hash }]);
}

export async function revokeServer(store: StorePaths, projectId: string, id: string): Promise<void> {
  const { servers = [] } = await readProject(store, projectId);
  await approveServers(
    store,
    projectId,
    servers.filter(({ server }) => server !== id),
  );
}

/** Starts a separate instance for the test, lists its tools, and stops it. */
export async function testServer(
  store: StorePaths,
  id: string,
  { project, signal }: { readonly project?: Project | undefined; readonly signal: AbortSignal },
): Promise<ServerTest> {
  const { path } = project ?? { path: process.cwd() };
  const resolved = await resolveForTest(store, id, { project, path });
  const { McpConnection, ServerFailure } = await import('./connection.ts');
  const { target, secrets } = resolved;
  const connection = new McpConnection({ target, project: path, secrets });
  const start = performance.now();
  const end = (ok: boolean, error?: string): ServerTest => {
    const { stderr } = connection.status;
    return {
      ok,
      ms: Math.round(performance.now() - start),
      ...(error === undefined ? {} : { error }),
      ...(stderr === undefined ? {} : { stderr }),
      tools: ok ? toServerTools(id, connection) : [],
    };
  };
  try {
    await connection.ready(signal);
    return end(true);
  } catch (error) {
    if (error instanceof ServerFailure) return end(false, error.message);
    throw error;
  } finally {
    await connection.close();
  }
}

/** A server of the settings, or an approved server of the project, since a test starts it. */
async function resolveForTest(
  store: StorePaths,
  id: string,
  { project, path }: { readonly project: Project | undefined; readonly path: string },
): Promise<ResolvedServer> {
  const { servers } = (await loadSettings(store)).mcp;
  const server = Object.hasOwn(servers, id) ? servers[id] : undefined;
  if (server) return resolveOwnServer(store, { path }, id, server);
  const found =
    project && (await readProjectServers(project)).servers.find((candidate) => candidate.id === id);
  const isApproved = (project?.servers ?? []).some(
    (approved) => approved.server === id && approved.hash === found?.hash,
  );
  if (found && isApproved) return found;
  throw new CrewError(
    'MCP_SERVER_NOT_FOUND',
    found
      ? `The MCP server "${id}" of the project is not approved. Approve it first.`
      : `There is no MCP server "${id}".`,
  );
}
