/**
 * Management of MCP servers: add, change, remove, import, approve, test. Loads the client only for a test.
 */
import {
  isStdio,
  type McpServer,
  type ServersPreview,
  type ServerTest,
  serverIdSchema,
} from '@crewagent/protocol/mcp';
import type { Project } from '@crewagent/protocol/project';
import type { SandboxOptions } from '@crewagent/protocol/sandbox';
import { CrewError } from '../base/crew-error.ts';
import type { SettingsChange } from '../store/settings-store.ts';
import type { UserStore } from '../store/store.ts';
import type { ServerFailure as Failure } from './open-client.ts';
import { parseServersFile } from './parse-servers-file.ts';
import { addressOf, readProjectServers, resolveByName } from './resolve-servers.ts';
import { toServerTools } from './tool-names.ts';

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

/** The servers of another program's file, exactly as they would be started. Changes nothing. */
export async function previewServers(store: UserStore, text: string): Promise<ServersPreview> {
  const { servers, issues } = parseServersFile(text);
  const known = (await store.settings.load()).mcp.servers;
  return {
    servers: servers.map(({ id, server }) => ({
      id,
      server,
      isKnown: Object.hasOwn(known, id) || undefined,
    })),
    issues: [...issues],
  };
}

export type ImportedServers = Awaited<ReturnType<typeof importServers>>;

/** Adds those servers of another program's file that a person chose. Existing servers are not changed. */
export async function importServers(store: UserStore, text: string, chosen: readonly string[]) {
  const { servers, issues } = parseServersFile(text);
  const unknown = chosen.find((name) => !servers.some(({ id }) => id === name));
  if (unknown !== undefined)
    throw new CrewError('MCP_SERVER_NOT_FOUND', `The file has no MCP server "${unknown}".`);
  const known = (await store.settings.load()).mcp.servers;
  const wanted = servers.filter(({ id }) => chosen.includes(id));
  const fresh = wanted.filter(({ id }) => !Object.hasOwn(known, id));
  for (const { id, server, values } of fresh) await putServer(store, id, server, values);
  const existing = wanted.filter((one) => !fresh.includes(one));
  return {
    added: fresh.map(({ id }) => id),
    /** Entries that were skipped, and why. */
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
  const { createConnection } = await import('./mcp-servers.ts');
  const { LoginRequired, ServerFailure } = await import('./open-client.ts');
  const connection = createConnection(store, resolved, { project: path });
  const start = performance.now();
  const end = (ok: boolean, failure?: Failure): ServerTest => {
    const { stderr } = connection.status;
    return {
      ok,
      ms: Math.round(performance.now() - start),
      error: failure?.message,
      needsLogin: failure instanceof LoginRequired || undefined,
      stderr,
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
