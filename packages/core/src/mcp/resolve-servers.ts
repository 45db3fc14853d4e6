/**
 * Which MCP servers a project has, and what each is started with: the person's own from the settings, and those of the project's
 * `.mcp.json` that the person approved as they are. A package never brings a command or an address.
 */
import type { McpServer } from '@crewagent/protocol/mcp';
import type { Project } from '@crewagent/protocol/project';
import type { Settings } from '@crewagent/protocol/settings';
import { sha256Of } from '../base/sha256.ts';
import type { StorePaths } from '../store/disk/layout.ts';
import { readServerSecrets } from '../store/disk/secrets-store.ts';
import { readProjectServers } from './project-servers.ts';
import { addressOf, type ResolvedServer, toTarget } from './server-target.ts';

/** Sorted by id. Of a server in the settings and one of the project with the same id, that in the settings counts. */
export async function resolveServers(
  store: StorePaths,
  project: Project,
  settings: Settings,
): Promise<readonly ResolvedServer[]> {
  if (!settings.tools.mcp.enabled) return [];
  const own = await Promise.all(
    Object.entries(settings.mcp.servers)
      .filter(([, server]) => server.enabled)
      .map(([id, server]) => resolveOwnServer(store, project, id, server)),
  );
  const taken = new Set(Object.keys(settings.mcp.servers));
  const approved = project.servers ?? [];
  const others = approved.length === 0 ? [] : (await readProjectServers(project)).servers;
  const fromProject = others.filter(
    ({ id, hash }) =>
      !taken.has(id) && approved.some((approval) => approval.server === id && approval.hash === hash),
  );
  return [...own, ...fromProject].sort((a, b) => (a.id < b.id ? -1 : 1));
}

export async function resolveOwnServer(
  store: StorePaths,
  project: Pick<Project, 'path'>,
  id: string,
  server: McpServer,
): Promise<ResolvedServer> {
  const values = await readServerSecrets(store, id, addressOf(server));
  const { enabled: _, trusted, disabledTools, ...definition } = server;
  return {
    id,
    origin: 'user',
    hash: sha256Of(Buffer.from(JSON.stringify(definition))),
    trusted,
    disabledTools,
    target: toTarget(server, project.path, values),
    secrets: Object.values(values),
  };
}
