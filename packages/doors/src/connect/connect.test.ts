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
  planConnection,
  planDisconnection,
  type Scope,
  toPlaces,
} from './index.ts';

const COMMAND = ['crewagent', 'mcp', 'serve'] as const;
const NAMES = Object.keys(AGENTS) as AgentName[];

async function createRequest(agent: AgentName, scope: Scope) {
  const root = await mkdtemp(join(tmpdir(), 'crewagent-connect-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const places = toPlaces({ home: join(root, 'home'), project: join(root, 'project') }, 'linux', {});
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
