/** The configuration files of other agents: where they are, and the form of a server in them. */

import { posix, win32 } from 'node:path';
import { isObject } from '@crewagent/protocol/json-object';

export interface Agent {
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** Where our entry is in a file with this content. */
  toKey(config: Readonly<Record<string, unknown>>): readonly [string, ...string[]];
  /** Where it belongs if nobody says: projects share some of these files. */
  readonly usualScope: Scope;
  /** The file, or those that it may be: the first is created if there is none. */
  files(scope: Scope, places: Places): readonly [string, ...string[]];
  toEntry(launch: Launch): Readonly<Record<string, unknown>>;
}

/** How an agent starts this program. */
export interface Launch {
  readonly command: readonly [string, ...string[]];
  /** Besides what the agent passes on; undefined if that is enough. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export type Scope = 'project' | 'user';

export interface Places {
  readonly home: string;
  readonly project: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const NAME = 'crewagent';
const toEnv = (env: Launch['env'], name = 'env'): object => (env ? { [name]: env } : {});
const toPlainEntry: Agent['toEntry'] = ({ command: [command, ...args], env }) => ({
  ...{ type: 'stdio', command, args },
  ...toEnv(env),
});

export const AGENTS: Readonly<Record<AgentName, Agent>> = {
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    toKey: () => ['mcpServers', NAME],
    usualScope: 'project',
    files: (scope, places) =>
      scope === 'project'
        ? [at(places, places.project, '.mcp.json')]
        : [at(places, places.env.CLAUDE_CONFIG_DIR?.trim() || places.home, '.claude.json')],
    toEntry: toPlainEntry,
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    toKey: () => ['mcpServers', NAME],
    usualScope: 'project',
    files: (scope, places) => [
      at(places, scope === 'project' ? places.project : places.home, '.cursor', 'mcp.json'),
    ],
    toEntry: toPlainEntry,
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    toKey: () => ['mcp_servers', NAME],
    usualScope: 'user',
    files: (scope, places) =>
      scope === 'project'
        ? [at(places, places.project, '.codex', 'config.toml')]
        : [at(places, places.env.CODEX_HOME?.trim() || at(places, places.home, '.codex'), 'config.toml')],
    // A call in which a person is asked takes longer than the usual minute.
    toEntry: ({ command: [command, ...args], env }) => ({
      ...{ command, args, tool_timeout_sec: 3_600 },
      ...toEnv(env),
    }),
  },
  zed: {
    title: 'Zed',
    format: 'json',
    toKey: () => ['context_servers', NAME],
    usualScope: 'user',
    files: (scope, places) =>
      scope === 'project'
        ? [at(places, places.project, '.zed', 'settings.json')]
        : [at(places, zedFolder(places), 'settings.json')],
    toEntry: ({ command: [command, ...args], env = {} }) => ({ source: 'custom', command, args, env }),
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    toKey: () => ['servers', NAME],
    usualScope: 'project',
    files: (scope, places) =>
      scope === 'project'
        ? [at(places, places.project, '.vscode', 'mcp.json')]
        : [at(places, settingsFolder(places), 'Code', 'User', 'mcp.json')],
    toEntry: toPlainEntry,
  },
  opencode: {
    title: 'opencode',
    format: 'json',
    // Version 2 reads the form of version 1, but not both in one file.
    toKey: ({ mcp }) => (isObject(mcp) && isGroup(mcp.servers) ? ['mcp', 'servers', NAME] : ['mcp', NAME]),
    usualScope: 'project',
    files(scope, places) {
      const folder = scope === 'project' ? places.project : at(places, xdgFolder(places), 'opencode');
      return [at(places, folder, 'opencode.json'), at(places, folder, 'opencode.jsonc')];
    },
    toEntry: ({ command, env }) => ({ type: 'local', command, ...toEnv(env, 'environment') }),
  },
};

export type AgentName = 'claude-code' | 'cursor' | 'codex' | 'zed' | 'vscode' | 'opencode';

export function isAgentName(name: string): name is AgentName {
  return Object.hasOwn(AGENTS, name);
}

/** Not a server that is called "servers". */
function isGroup(servers: unknown): boolean {
  return isObject(servers) && typeof servers.type !== 'string';
}

function at({ platform }: Places, ...parts: readonly string[]): string {
  return platform === 'win32' ? win32.join(...parts) : posix.join(...parts);
}

/** Also on macOS and Windows, for programs that go by the rules of XDG there. */
function xdgFolder(places: Places): string {
  return places.env.XDG_CONFIG_HOME || at(places, places.home, '.config');
}

/** Of the user's settings of programs. */
function settingsFolder(places: Places): string {
  const { platform, home, env } = places;
  if (platform === 'win32') return env.APPDATA || at(places, home, 'AppData', 'Roaming');
  return platform === 'darwin' ? at(places, home, 'Library', 'Application Support') : xdgFolder(places);
}

function zedFolder(places: Places): string {
  const { platform, home, env } = places;
  if (platform === 'win32') return at(places, settingsFolder(places), 'Zed');
  if (platform === 'darwin') return at(places, home, '.config', 'zed');
  return at(places, env.FLATPAK_XDG_CONFIG_HOME || xdgFolder(places), 'zed');
}
