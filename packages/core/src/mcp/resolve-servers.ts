/**
 * The MCP servers of a project and how each is started: the person's own from the settings, and approved ones from the project's
 * `.mcp.json`. A package never provides a command or an address.
 */
import type { McpServer } from '@crewagent/protocol/mcp';
import type { Project } from '@crewagent/protocol/project';
import type { Settings } from '@crewagent/protocol/settings';
import { CrewError } from '../base/crew-error.ts';
import { sha256Of } from '../base/sha256.ts';
import type { UserStore } from '../store/store.ts';
import { readProjectServers } from './project-servers.ts';
import { addressOf, type ResolvedServer, toTarget } from './server-target.ts';

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
  const fromProject = others.filter(
    ({ id, hash }) =>
      !ownIds.has(id) && approved.some((approval) => approval.server === id && approval.hash === hash),
  );
  return [...own, ...fromProject].sort((a, b) => (a.id < b.id ? -1 : 1));
}

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
  if (server) return resolveOwnServer(store, project ?? { path: process.cwd() }, id, server);
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
