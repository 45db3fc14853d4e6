/** The MCP servers that a person sees: their definition, approval, connection, login and tools. */
import type { ListedServer, ServerList, ServerStatus } from '@crewagent/protocol/mcp';
import type { Project } from '@crewagent/protocol/project';
import { findProjectSandbox, findSandbox } from '../processes/sandbox.ts';
import type { UserStore } from '../store/store.ts';
import type { McpConnection } from './connection.ts';
import { openLoginRecord } from './login/login-record.ts';
import type { PendingLogin } from './login/pending-logins.ts';
import { readProjectServers } from './project-servers.ts';
import { resolveOwnServer } from './resolve-servers.ts';
import { addressOf, type ResolvedServer } from './server-target.ts';
import { toServerTools } from './to-server-tools.ts';

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
