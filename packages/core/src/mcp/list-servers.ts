/** The MCP servers that a person sees: their definition, approval, connection, login and tools. */
import type { ListedServer, ServerList, ServerStatus } from '@crewagent/protocol/mcp';
import type { Project } from '@crewagent/protocol/project';
import { findProjectSandbox, findSandbox } from '../processes/sandbox.ts';
import type { UserStore } from '../store/store.ts';
import type { McpConnection } from './connection.ts';
import { openLoginRecord } from './login-record.ts';
import type { PendingLogin } from './manage-logins.ts';
import {
  addressOf,
  isApproved,
  type ResolvedServer,
  readProjectServers,
  resolveOwnServer,
} from './resolve-servers.ts';
import { toServerTools } from './tool-names.ts';

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
  const toListed = async (
    resolved: ResolvedServer,
    shown: Pick<ListedServer, 'server' | 'isApproved' | 'storedValues'>,
  ): Promise<ListedServer> => {
    const { id, origin, hash } = resolved;
    return { id, origin, hash, ...shown, ...(await readState(store, resolved, live)) };
  };
  const { servers: own } = settings.mcp;
  const fromSettings = Object.entries(own).map(async ([id, server]) => {
    const resolved = await resolveOwnServer(store, project ?? CURRENT_FOLDER, id, server);
    const storedValues = Object.keys(await store.secrets.readServer(id, addressOf(server)));
    return toListed(resolved, { server, isApproved: true, storedValues });
  });
  const { servers, issues } = project ? await readProjectServers(project) : { servers: [], issues: [] };
  const fromProject = servers.map((resolved) =>
    toListed(resolved, {
      server: resolved.server,
      isApproved: isApproved(resolved, project?.servers),
      storedValues: Object.keys(resolved.values),
    }),
  );
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
    login: stored || pending ? login : undefined,
    tools,
  };
}
