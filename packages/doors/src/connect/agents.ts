/** The configuration files of other agents: where they are, and the form of a server in them. */
import { join } from 'node:path';

export interface Agent {
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** Where our entry is. */
  readonly key: readonly [string, string];
  /** Where it belongs if nobody says: projects share some of these files. */
  readonly usualScope: Scope;
  file(scope: Scope, places: Places): string;
  toEntry(command: readonly [string, ...string[]]): Readonly<Record<string, unknown>>;
}

export type Scope = 'project' | 'user';

export interface Places {
  readonly home: string;
  readonly project: string;
  /** Folder of the user's settings of programs: `~/.config`, `%APPDATA%`, `~/Library/Application Support`. */
  readonly settings: string;
  /** `~/.config`, also on macOS. */
  readonly config: string;
}

const NAME = 'crewagent';
const toPlainEntry: Agent['toEntry'] = ([command, ...args]) => ({ command, args });

export const AGENTS: Readonly<Record<AgentName, Agent>> = {
  'claude-code': {
    title: 'Claude Code',
    format: 'json',
    key: ['mcpServers', NAME],
    usualScope: 'project',
    file: (scope, { home, project }) =>
      scope === 'project' ? join(project, '.mcp.json') : join(home, '.claude.json'),
    toEntry: toPlainEntry,
  },
  cursor: {
    title: 'Cursor',
    format: 'json',
    key: ['mcpServers', NAME],
    usualScope: 'project',
    file: (scope, { home, project }) => join(scope === 'project' ? project : home, '.cursor', 'mcp.json'),
    toEntry: toPlainEntry,
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    key: ['mcp_servers', NAME],
    usualScope: 'user',
    file: (scope, { home, project }) => join(scope === 'project' ? project : home, '.codex', 'config.toml'),
    toEntry: toPlainEntry,
  },
  zed: {
    title: 'Zed',
    format: 'json',
    key: ['context_servers', NAME],
    usualScope: 'user',
    file: (scope, { project, config }) =>
      scope === 'project' ? join(project, '.zed', 'settings.json') : join(config, 'zed', 'settings.json'),
    toEntry: ([command, ...args]) => ({ source: 'custom', command, args, env: {} }),
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    key: ['servers', NAME],
    usualScope: 'project',
    file: (scope, { project, settings }) =>
      scope === 'project' ? join(project, '.vscode', 'mcp.json') : join(settings, 'Code', 'User', 'mcp.json'),
    toEntry: ([command, ...args]) => ({ type: 'stdio', command, args }),
  },
  opencode: {
    title: 'opencode',
    format: 'json',
    key: ['mcp', NAME],
    usualScope: 'project',
    file: (scope, { project, config }) =>
      scope === 'project' ? join(project, 'opencode.json') : join(config, 'opencode', 'opencode.json'),
    toEntry: (command) => ({ type: 'local', command, enabled: true }),
  },
};

export type AgentName = 'claude-code' | 'cursor' | 'codex' | 'zed' | 'vscode' | 'opencode';

export function isAgentName(name: string): name is AgentName {
  return Object.hasOwn(AGENTS, name);
}

export function toPlaces(
  { home, project }: Pick<Places, 'home' | 'project'>,
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): Places {
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const roaming = env.APPDATA || join(home, 'AppData', 'Roaming');
  if (platform === 'win32') return { home, project, settings: roaming, config: roaming };
  const settings = platform === 'darwin' ? join(home, 'Library', 'Application Support') : config;
  return { home, project, settings, config };
}
