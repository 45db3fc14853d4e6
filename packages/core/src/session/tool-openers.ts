/**
 * Tools other than the built-in ones: MCP servers and commands. Their code is loaded only if a server is set up or commands are
 * allowed.
 */
import type { ServerList } from '@crewagent/protocol/mcp';
import type { Project } from '@crewagent/protocol/project';
import type { Settings } from '@crewagent/protocol/settings';
import type { ShellSettings } from '@crewagent/protocol/shell';
import type { WorkHooks } from '../engine/engine-sources.ts';
import type { PendingLogins } from '../mcp/manage-logins.ts';
import type { McpServers } from '../mcp/mcp-servers.ts';
import type { Policies } from '../policy/loaded-policy.ts';
import { restrictShell } from '../policy/restrict.ts';
import type { Store } from '../store/store.ts';
import type { HookWork } from './assemble-engine.ts';
import type { Environment } from './models/choose-model.ts';
import type { ProgramParts, ShellParts, WorkMcp, WorkShell } from './open-tools.ts';

export function createToolOpeners(store: Store, env: Environment, idleMs: number | undefined) {
  let servers: Promise<McpServers> | undefined;
  let logins: Promise<PendingLogins> | undefined;
  return {
    /** Whether a Work of this project would use MCP servers. */
    usesServers: async (project: Project | undefined) => hasServers(await store.settings.load(), project),
    /** Undefined where no server is switched on. */
    async openMcp(project: Project, parts: ProgramParts): Promise<WorkMcp | undefined> {
      if (!hasServers(await store.settings.load(), project)) return undefined;
      servers ??= import('../mcp/mcp-servers.ts').then(({ createMcpServers }) =>
        createMcpServers({ store, idleMs }),
      );
      return (await servers).open(project, parts);
    },
    /** Undefined where no person switched commands on for the project. */
    async openShell(project: Project, parts: ShellParts): Promise<WorkShell | undefined> {
      if (!project.shell?.enabled) return undefined;
      const { createShellTools } = await import('../shell/shell-tools.ts');
      const readPolicies = (): Promise<Policies> => store.policy.read();
      const readSettings = async (): Promise<ShellSettings> =>
        restrictShell(await readPolicies(), (await store.projects.read(project.projectId)).shell ?? NO_SHELL);
      const { requiresSandbox } = store;
      return createShellTools({
        ...parts,
        project: project.path,
        readSettings,
        readPolicies,
        requiresSandbox,
      });
    },
    /** Undefined where no hook holds: their code is not loaded then. */
    async openHooks({ project, ...work }: HookWork): Promise<WorkHooks | undefined> {
      const [policies, settings] = await Promise.all([store.policy.read(), store.settings.load()]);
      // Programs of one person do not run on machines of several.
      const own = store.requiresSandbox ? {} : settings.hooks;
      const isRequired = policies.some(({ policy }) => policy.hooks?.required);
      if (!isRequired && Object.keys(own).length === 0) return undefined;
      const [{ createWorkHooks }, { resolveHooks }] = await Promise.all([
        import('../hooks/work-hooks.ts'),
        import('../hooks/resolve-hooks.ts'),
      ]);
      const hooks = resolveHooks(own, policies);
      if (hooks.length === 0) return undefined;
      const { path, name: projectName } = project;
      return createWorkHooks({
        ...work,
        hooks,
        project: path,
        projectName,
        env,
        policies,
        now: () => new Date(),
      });
    },
    /** MCP servers of the settings and of the project, with the state of those that run. */
    async listServers(projectId?: string): Promise<ServerList> {
      const project = projectId === undefined ? undefined : await store.projects.read(projectId);
      const [running, pending] = await Promise.all([servers, logins]);
      const { listServers } = await import('../mcp/list-servers.ts');
      return listServers(store, project, {
        connection: (server) => running?.find(projectId, server),
        login: ({ loginKey }) => pending?.find(loginKey),
      });
    },
    /** Tools of MCP servers that run for the project in this process. Starts and loads nothing. */
    peekTools: async (project: Project) => (await servers)?.peek(project),
    /** Sign-ins to MCP servers that the page started. Loaded with the first one. */
    pendingLogins: (): Promise<PendingLogins> =>
      (logins ??= import('../mcp/manage-logins.ts').then(({ createPendingLogins }) =>
        createPendingLogins(store),
      )),
    /** Stops the MCP servers of this process. */
    async close(): Promise<void> {
      await (await logins)?.close();
      await (await servers)?.close();
    },
  };
}

const NO_SHELL: ShellSettings = {
  enabled: false,
  network: false,
  hosts: [],
  folders: [],
  git: false,
  allow: [],
};

function hasServers({ tools, mcp }: Settings, project: Project | undefined): boolean {
  const isAnyOn = Object.values(mcp.servers).some(({ enabled }) => enabled);
  return tools.mcp.enabled && (isAnyOn || (project?.servers ?? []).length > 0);
}
