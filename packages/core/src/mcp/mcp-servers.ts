/**
 * The MCP servers of this process: one connection per project and definition, shared by all open Works of the project, and
 * stopped when no Work uses it.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Project } from '@crewagent/protocol/project';
import type { UserStore } from '../store/store.ts';
import { createProgramChanges, type ProgramChangesOptions } from '../tools/changes/program-changes.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import { type ConnectionOptions, McpConnection } from './connection.ts';
import { openLoginRecord } from './login-record.ts';
import { type ActiveServer, createMcpTools, createToolList } from './mcp-tools.ts';
import { type ResolvedServer, resolveServers } from './resolve-servers.ts';
import { createServerAuth } from './server-auth.ts';
import type { ServerViews } from './server-view.ts';
import type { Spill } from './tool-result.ts';

export interface McpServersOptions {
  readonly store: UserStore;
  /** How long an unused server stays up. */
  readonly idleMs?: number | undefined;
  readonly startTimeoutMs?: number | undefined;
}

export type McpServers = ReturnType<typeof createMcpServers>;

/** What a Work provides for its servers. */
export interface WorkParts extends Omit<ProgramChangesOptions, 'folder'> {
  readonly spill: Spill;
  /** Real folder for views, private to the Work. */
  readonly viewsFolder: string;
}

export interface OpenMcp {
  /** Ids of the enabled servers. */
  readonly servers: readonly string[];
  readonly source: ToolSource;
  close(): Promise<void>;
}

interface Acquiring {
  readonly user: object;
  readonly key: string;
  readonly views: ServerViews;
}

interface Entry {
  readonly connection: McpConnection;
  /** Without the Work that a server in the sandbox belongs to. */
  readonly sharedKey: string;
  /** Works that use the connection. */
  readonly users: Set<object>;
  idle?: NodeJS.Timeout;
}

export function createMcpServers({ store, idleMs = 0, startTimeoutMs }: McpServersOptions) {
  const entries = new Map<string, Entry>();
  /** Read each time: a person may have changed a switch or an approval. */
  const resolve = async ({ projectId }: Project): Promise<readonly ResolvedServer[]> =>
    resolveServers(store, await store.projects.read(projectId), await store.settings.load());

  const acquire = (project: Project, server: ResolvedServer, { user, key, views }: Acquiring): Entry => {
    const entry: Entry = entries.get(key) ?? {
      connection: createConnection(store, server, { project: project.path, views, startTimeoutMs }),
      sharedKey: keyOf(project.projectId, server),
      users: new Set(),
    };
    entries.set(key, entry);
    clearTimeout(entry.idle);
    entry.users.add(user);
    return entry;
  };
  const release = async (key: string, user: object): Promise<void> => {
    const entry = entries.get(key);
    if (!entry?.users.delete(user) || entry.users.size > 0) return;
    const end = (): Promise<void> => {
      entries.delete(key);
      return entry.connection.close();
    };
    // The view of a server in the sandbox belongs to the Work.
    if (idleMs === 0 || key !== entry.sharedKey) return end();
    entry.idle = setTimeout(() => void end(), idleMs);
    entry.idle.unref();
  };

  return {
    /** Opens the tools for a Work. The servers stay up until `close`. */
    async open(project: Project, { spill, viewsFolder, ...parts }: WorkParts): Promise<OpenMcp> {
      const user = {};
      const programs = createProgramChanges({ ...parts, folder: join(viewsFolder, 'servers') });
      const views = { isSecret: parts.isSecret, createFolder: () => programs.createFolder() };
      const workKey = randomUUID();
      /** A view has the changes of one Work, so a server in the sandbox is not shared. */
      const keyFor = (server: ResolvedServer): string =>
        keyOf(project.projectId, server) + ('sandbox' in server.target ? workKey : '');
      const held = new Map<string, { readonly server: ResolvedServer; readonly active: ActiveServer }>();
      let isClosed = false;
      const servers = async (): Promise<readonly ActiveServer[]> => {
        const resolved = isClosed ? [] : await resolve(project);
        const current = new Map(resolved.map((server) => [keyFor(server), server]));
        const dropped = [...held.keys()].filter((key) => !current.has(key));
        for (const key of dropped) held.delete(key);
        await Promise.all(dropped.map((key) => release(key, user)));
        return [...current].map(([key, server]) => {
          const known = held.get(key);
          if (known && isSameServer(known.server, server)) return known.active;
          const { connection } = acquire(project, server, { user, key, views });
          const active = { ...server, connection };
          held.set(key, { server, active });
          return active;
        });
      };
      const source = createMcpTools({ servers, spill, programs });
      return {
        servers: (await resolve(project)).map(({ id }) => id),
        source,
        async close() {
          source.cancelCalls();
          isClosed = true;
          await Promise.all([...held.keys()].map((key) => release(key, user)));
        },
      };
    },
    /** The connection of the project's Works, or of any project; undefined if there is none. */
    find(projectId: string | undefined, server: ResolvedServer): McpConnection | undefined {
      const isSame = ({ sharedKey }: Entry): boolean =>
        projectId === undefined ? idIn(sharedKey) === server.id : sharedKey === keyOf(projectId, server);
      return [...entries.values()].find(isSame)?.connection;
    },
    /** The tools of the project's servers that run; undefined if none does. Starts nothing. */
    async peek(project: Project): Promise<Pick<OpenMcp, 'servers' | 'source'> | undefined> {
      const resolved = await resolve(project);
      const active = resolved.flatMap((server): ActiveServer[] => {
        const key = keyOf(project.projectId, server);
        const entry = [...entries.values()].find(({ sharedKey }) => sharedKey === key);
        return entry ? [{ ...server, connection: entry.connection }] : [];
      });
      if (active.length === 0) return undefined;
      return { servers: resolved.map(({ id }) => id), source: createToolList(active) };
    },
    async close(): Promise<void> {
      const open = [...entries.values()];
      entries.clear();
      for (const { idle } of open) clearTimeout(idle);
      await Promise.all(open.map(({ connection }) => connection.close()));
    },
  };
}

/** The connection to a server, with its login if it has one. */
export function createConnection(
  store: UserStore,
  server: ResolvedServer,
  options: Pick<ConnectionOptions, 'project' | 'views' | 'startTimeoutMs'>,
): McpConnection {
  const { target, secrets } = server;
  const login = openLoginRecord(store, server);
  return new McpConnection({ target, secrets, auth: login && createServerAuth(login), ...options });
}

/** A different command, address or secret makes a different server. */
function keyOf(projectId: string, { id, target }: ResolvedServer): string {
  return JSON.stringify([projectId, id, target]);
}

function idIn(key: string): string {
  return (JSON.parse(key) as [string, string])[1];
}

/** Compares the switches as well, which may change while a server runs. */
function isSameServer(one: ResolvedServer, other: ResolvedServer): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
