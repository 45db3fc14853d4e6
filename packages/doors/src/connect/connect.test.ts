import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import {
  AGENTS,
  type AgentName,
  applyChange,
  findCommand,
  planConnection,
  planDisconnection,
  type Scope,
} from './index.ts';

const COMMAND = { command: ['crewagent', 'mcp', 'serve'] } as const;
const NAMES = Object.keys(AGENTS) as AgentName[];

async function createRequest(agent: AgentName, scope: Scope) {
  const root = await mkdtemp(join(tmpdir(), 'crewagent-connect-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const places = {
    home: join(root, 'home'),
    project: join(root, 'project'),
    platform: 'linux',
    env: {},
  } as const;
  return { agent, scope, places, storeRoot: join(root, 'store') };
}

it.each(NAMES.flatMap((name) => [[name, 'project'] as const, [name, 'user'] as const]))(
  '%s (%s): the entry is added to a new file, found again, and taken out with the file',
  async (agent, scope) => {
    const request = await createRequest(agent, scope);
    const plan = await planConnection(request, COMMAND);
    expect([plan.before, existsSync(plan.file)]).toEqual([undefined, false]);
    await applyChange(plan, request);
    expect(await readFile(plan.file, 'utf8')).toContain('crewagent');
    const again = await planConnection(request, COMMAND);
    expect(again.after).toBe(again.before);
    await applyChange(await planDisconnection(request), request);
    expect(existsSync(plan.file)).toBe(false);
  },
);

const COMMENTED = `// mine\n{\n\t"theme": "dark", // stays\n\t"mcpServers": {\n\t\t"other": { "command": "x", "odd": [1,2] }, // too\n\t},\n}\n`;
const TOML = `# mine\nmodel = "o9"   # stays\n\n[mcp_servers.other]\ncommand = "x"\n\n[profiles.fast] # last\neffort = 1\n`;

it.each([
  ['cursor', COMMENTED],
  ['codex', TOML],
  ['codex', TOML.trimEnd()],
  [
    'codex',
    `${TOML}\n[mcp_servers.crewagent]\ncommand = "old"\n\n[mcp_servers.crewagent.env]\nA = "1"\n\n[z]\na = 1\n`,
  ],
  ['cursor', '{}'],
  ['cursor', ''],
  ['cursor', '\uFEFF{\r\n    "a": 1\r\n}\r\n'],
] as const)(
  '%s: comments, order and unknown keys stay, and what was there is restored to the byte: %j',
  async (agent, text) => {
    const request = await createRequest(agent, 'user');
    const { file } = await planConnection(request, COMMAND);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    const plan = await planConnection(request, COMMAND);
    for (const kept of text.match(/\/\/.*|#.*|"other"|profiles/g) ?? []) expect(plan.after).toContain(kept);
    await applyChange(plan, request);
    await applyChange(await planDisconnection(request), request);
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

it('a file that was edited since loses our entry, and nothing else', async () => {
  const request = await createRequest('claude-code', 'project');
  await applyChange(await planConnection(request, COMMAND), request);
  const { file } = await planConnection(request, COMMAND);
  const mine = JSON.parse(await readFile(file, 'utf8')) as { mcpServers: Record<string, unknown> };
  mine.mcpServers.mine = { command: 'y' };
  await writeFile(file, JSON.stringify(mine, null, 4));
  await applyChange(await planDisconnection(request), request);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ mcpServers: { mine: { command: 'y' } } });
});

it.each(['{ "mcpServers": ', '[]', '{"mcpServers": 3}'])(
  'a file that cannot be edited is named and left: %s',
  async (text) => {
    const request = await createRequest('cursor', 'project');
    const { file } = await planConnection(request, COMMAND);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await expect(planConnection(request, COMMAND)).rejects.toThrow(file);
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

it('any JSON object is the same after connect and disconnect', async () => {
  const request = await createRequest('cursor', 'project');
  const { file } = await planConnection(request, COMMAND);
  await mkdir(dirname(file), { recursive: true });
  const anyServers = fc.dictionary(fc.string(), fc.object({ maxDepth: 1 }), { maxKeys: 3 });
  const anyConfig = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
  await fc.assert(
    fc.asyncProperty(
      anyConfig,
      anyServers,
      fc.constantFrom(undefined, 2, '\t'),
      async (config, servers, space) => {
        const text = JSON.stringify({ ...config, mcpServers: servers }, null, space);
        await writeFile(file, text);
        await applyChange(await planConnection(request, COMMAND), request);
        await applyChange(await planDisconnection(request), request);
        expect(await readFile(file, 'utf8')).toBe(text);
      },
    ),
    { numRuns: 30 },
  );
});

const PLATFORMS = [
  ['linux', { home: '/home/ada', project: '/p', platform: 'linux', env: {} }],
  ['macOS', { home: '/Users/ada', project: '/p', platform: 'darwin', env: { XDG_CONFIG_HOME: '/xdg' } }],
  [
    'Windows',
    { home: 'C:\\Users\\ada', project: 'C:\\p', platform: 'win32', env: { APPDATA: 'D:\\roaming' } },
  ],
] as const;
const USER_FILES: Record<AgentName, readonly [linux: string, macOS: string, windows: string]> = {
  'claude-code': ['/home/ada/.claude.json', '/Users/ada/.claude.json', 'C:\\Users\\ada\\.claude.json'],
  cursor: ['/home/ada/.cursor/mcp.json', '/Users/ada/.cursor/mcp.json', 'C:\\Users\\ada\\.cursor\\mcp.json'],
  codex: [
    '/home/ada/.codex/config.toml',
    '/Users/ada/.codex/config.toml',
    'C:\\Users\\ada\\.codex\\config.toml',
  ],
  zed: [
    '/home/ada/.config/zed/settings.json',
    '/Users/ada/.config/zed/settings.json',
    'D:\\roaming\\Zed\\settings.json',
  ],
  vscode: [
    '/home/ada/.config/Code/User/mcp.json',
    '/Users/ada/Library/Application Support/Code/User/mcp.json',
    'D:\\roaming\\Code\\User\\mcp.json',
  ],
  opencode: [
    '/home/ada/.config/opencode/opencode.json',
    '/xdg/opencode/opencode.json',
    'C:\\Users\\ada\\.config\\opencode\\opencode.json',
  ],
};

it.each(PLATFORMS.map(([name, places], index) => [name, places, index] as const))(
  'on %s the files of the user are where each agent reads them',
  (_, places, index) => {
    for (const name of NAMES)
      expect(AGENTS[name].files('user', places)[0], name).toBe(USER_FILES[name][index]);
  },
);

it('folders that the environment names are used by the agents that read them', () => {
  const places = {
    ...PLATFORMS[0][1],
    env: {
      CLAUDE_CONFIG_DIR: '/c',
      CODEX_HOME: '/x',
      XDG_CONFIG_HOME: '/xdg',
      FLATPAK_XDG_CONFIG_HOME: '/flat',
    },
  };
  const files = NAMES.map((name) => AGENTS[name].files('user', places)[0]);
  expect(files).toEqual([
    '/c/.claude.json',
    '/home/ada/.cursor/mcp.json',
    '/x/config.toml',
    '/flat/zed/settings.json',
    '/xdg/Code/User/mcp.json',
    '/xdg/opencode/opencode.json',
  ]);
});

it.each([
  ['version 1', '{ "mcp": { "other": { "type": "local", "command": ["x"] } } }', ['mcp']],
  [
    'version 2',
    '{ "mcp": { "servers": { "other": { "type": "local", "command": ["x"] } } } }',
    ['mcp', 'servers'],
  ],
] as const)(
  'opencode: a file in the form of %s stays in it, also with the name .jsonc',
  async (_, text, path) => {
    const request = await createRequest('opencode', 'project');
    const file = join(request.places.project, 'opencode.jsonc');
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    const plan = await planConnection(request, COMMAND);
    expect(plan.file).toBe(file);
    const servers = path.reduce<unknown>(
      (value, name) => (value as Record<string, unknown>)[name],
      JSON.parse(plan.after ?? ''),
    );
    expect(servers).toMatchObject({ other: {}, crewagent: { type: 'local', command: [...COMMAND.command] } });
    await applyChange(plan, request);
    expect((await planDisconnection(request)).file).toBe(file);
    await applyChange(await planDisconnection(request), request);
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

it('the command is one that agents can start without a shell', async () => {
  const root = await mkdtemp(join(tmpdir(), 'crewagent-path-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const find = (platform: NodeJS.Platform) =>
    findCommand({ platform, env: { PATH: root }, self: ['node', '/crewagent.js'] });
  expect(find('linux')).toEqual(['node', '/crewagent.js', 'mcp', 'serve']);
  await writeFile(join(root, 'crewagent.cmd'), '', { mode: 0o755 });
  expect(find('win32')).toEqual(['cmd', '/c', 'crewagent', 'mcp', 'serve']);
  expect(find('linux')).toEqual(['node', '/crewagent.js', 'mcp', 'serve']);
  await writeFile(join(root, 'crewagent'), '', { mode: 0o755 });
  expect(find('linux')).toEqual(['crewagent', 'mcp', 'serve']);
});

it.each(NAMES)(
  '%s: a store that a person has chosen is passed on, and read back by its parser',
  async (agent) => {
    const request = await createRequest(agent, 'user');
    const env = { CREWAGENT_HOME: 'C:\\Users\\ada\\"store"' };
    const plan = await planConnection(request, { ...COMMAND, env });
    expect(plan.after).toContain(JSON.stringify(env.CREWAGENT_HOME));
    await applyChange(plan, request);
    const again = await planConnection(request, { ...COMMAND, env });
    expect(again.after).toBe(again.before);
    await applyChange(await planDisconnection(request), request);
    expect(existsSync(plan.file)).toBe(false);
  },
);
