/**
 * The MCP servers of a project and how each is started: the person's own from the settings, and approved ones from the project's
 * `.mcp.json`. That file is untrusted: no definition is used before a person approved it, and an approval covers exactly its
 * content. A package never provides a command or an address.
 */
import { constants, open } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { isStdio, type McpServer } from '@crewagent/protocol/mcp';
import type { Project } from '@crewagent/protocol/project';
import { sandboxOptionsSchema } from '@crewagent/protocol/sandbox';
import type { Settings } from '@crewagent/protocol/settings';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf } from '../base/errno.ts';
import { sha256Of } from '../base/sha256.ts';
import type { Policies } from '../policy/loaded-policy.ts';
import { findRefusal, type PolicyQuestion, requireAllowed } from '../policy/restrict.ts';
import type { UserStore } from '../store/store.ts';
import type { HttpAddress } from './open-client.ts';
import { parseServersFile, type ReadServer } from './parse-servers-file.ts';
import type { ServerCommand } from './server-view.ts';

export interface ResolvedServer {
  readonly id: string;
  readonly origin: 'user' | 'project';
  /** Hash of the definition, without the values of stored secrets. */
  readonly hash: string;
  /** Under which its login is stored. */
  readonly loginKey: string;
  readonly trusted: boolean;
  readonly disabledTools: readonly string[];
  readonly target: ServerCommand | HttpAddress;
  readonly secrets: readonly string[];
}

/** Sorted by id. A server in the settings takes precedence over one of the project with the same id. */
export async function resolveServers(
  store: UserStore,
  project: Project,
  settings: Settings,
): Promise<readonly ResolvedServer[]> {
  if (!settings.tools.mcp.enabled) return [];
  const own = await Promise.all(
    Object.entries(settings.mcp.servers)
      .filter(([, server]) => server.enabled)
      .map(([id, server]) => resolveOwnServer(store, project, id, server)),
  );
  const ownIds = new Set(Object.keys(settings.mcp.servers));
  const approved = project.servers ?? [];
  const others = approved.length === 0 ? [] : (await readProjectServers(project)).servers;
  const fromProject = others.filter((server) => !ownIds.has(server.id) && isApproved(server, approved));
  const policies = await store.policy.read();
  return [...own, ...fromProject]
    .filter(({ target }) => !findRefusal(policies, toServerQuestion(target)))
    .map((server) => confine(server, project, { store, policies }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

export function toServerQuestion(
  target: Pick<ServerCommand, 'command' | 'args'> | Pick<HttpAddress, 'url'>,
): PolicyQuestion {
  return {
    kind: 'server',
    target: 'url' in target ? new URL(target.url) : [target.command, ...target.args],
  };
}

/** As it is started: in the sandbox if the store requires one, where it reaches only what the policies allow. */
function confine<Server extends ResolvedServer>(
  server: Server,
  { path: project }: Pick<Project, 'path'>,
  { store, policies }: { readonly store: UserStore; readonly policies: Policies },
): Server {
  const { target } = server;
  if ('url' in target) return server;
  const { sandbox = store.requiresSandbox ? { ...NO_ACCESS, project } : undefined } = target;
  if (!sandbox || (policies.length === 0 && !store.requiresSandbox)) return server;
  // The environment of a worker is that of its operator.
  const inheritEnv = store.requiresSandbox ? [] : target.inheritEnv;
  return { ...server, target: { ...target, inheritEnv, sandbox: { ...sandbox, policies } } };
}

const NO_ACCESS = sandboxOptionsSchema.parse({});

export async function resolveOwnServer(
  store: UserStore,
  project: Pick<Project, 'path'>,
  id: string,
  server: McpServer,
): Promise<ResolvedServer> {
  const values = await store.secrets.readServer(id, addressOf(server));
  const { enabled: _, trusted, disabledTools, ...definition } = server;
  return {
    id,
    origin: 'user',
    hash: sha256Of(Buffer.from(JSON.stringify(definition))),
    loginKey: id,
    trusted,
    disabledTools,
    target: toTarget(server, project.path, values),
    secrets: Object.values(values),
  };
}

/** A server of the settings, or an approved server of the project, which may be started. */
export async function resolveByName(
  store: UserStore,
  id: string,
  project: Project | undefined,
): Promise<ResolvedServer> {
  const { servers } = (await store.settings.load()).mcp;
  const server = Object.hasOwn(servers, id) ? servers[id] : undefined;
  const anywhere = { path: process.cwd() };
  const policies = await store.policy.read();
  const allowed = <Found extends ResolvedServer>(resolved: Found): Found => {
    requireAllowed(policies, toServerQuestion(resolved.target));
    return confine(resolved, project ?? anywhere, { store, policies });
  };
  if (server) return allowed(await resolveOwnServer(store, project ?? anywhere, id, server));
  const found =
    project && (await readProjectServers(project)).servers.find((candidate) => candidate.id === id);
  if (found && isApproved(found, project.servers)) return allowed(found);
  throw new CrewError(
    'MCP_SERVER_NOT_FOUND',
    found
      ? `The MCP server "${id}" of the project is not approved. Approve it first.`
      : `There is no MCP server "${id}".`,
  );
}

/** Whether a person approved exactly this definition. */
export function isApproved(
  { id, hash }: Pick<ResolvedServer, 'id' | 'hash'>,
  approved: Project['servers'],
): boolean {
  return approved?.some((approval) => approval.server === id && approval.hash === hash) === true;
}

export const PROJECT_FILE = '.mcp.json';
const MAX_BYTES = 1_048_576;

export interface ProjectServers {
  readonly servers: readonly (ResolvedServer & Pick<ReadServer, 'server' | 'values'>)[];
  /** Why the file, or an entry of it, could not be parsed. */
  readonly issues: readonly string[];
}

/** Never throws because of the file's content. */
export async function readProjectServers({
  path,
  projectId,
}: Pick<Project, 'path' | 'projectId'>): Promise<ProjectServers> {
  const text = await readFileOf(path);
  if (text === undefined) return { servers: [], issues: [] };
  try {
    const { servers, issues } = parseServersFile(text);
    return { servers: servers.map((read) => toResolved(read, path, projectId)), issues };
  } catch (error) {
    if (error instanceof CrewError) return { servers: [], issues: [error.message] };
    throw error;
  }
}

function toResolved(
  { id, server, values }: ReadServer,
  project: string,
  projectId: string,
): ProjectServers['servers'][number] {
  const { enabled: _, trusted: __, disabledTools, ...definition } = server;
  return {
    id,
    origin: 'project',
    hash: sha256Of(Buffer.from(JSON.stringify([definition, values]))),
    // Ids of servers contain no slash.
    loginKey: `${projectId}/${id}`,
    // A project cannot declare its own servers as trusted.
    trusted: false,
    disabledTools,
    target: toTarget(server, project, values),
    secrets: Object.values(values),
    server,
    values,
  };
}

async function readFileOf(project: string): Promise<string | undefined> {
  try {
    const handle = await open(
      join(project, PROJECT_FILE),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const found = await handle.stat();
      if (!found.isFile() || found.size > MAX_BYTES) return undefined;
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** What the secrets of a server are bound to: they are not used with another command or URL. */
export function addressOf(server: McpServer): string {
  return isStdio(server) ? JSON.stringify([server.command, server.args]) : server.url;
}

export function toTarget(
  server: McpServer,
  project: string,
  values: Readonly<Record<string, string>>,
): ServerCommand | HttpAddress {
  if (!isStdio(server)) return { url: server.url, headers: pick(values, server.headers) };
  const { command, args, env, inheritEnv, cwd = '.', sandbox } = server;
  return {
    command,
    args,
    env: pick(values, env),
    inheritEnv,
    cwd: isAbsolute(cwd) ? cwd : join(project, cwd),
    ...(sandbox ? { sandbox: { ...sandbox, project } } : {}),
  };
}

function pick(values: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name] ?? '']] : [])),
  );
}
