/**
 * The published reference servers of the protocol, end to end: in a chat, an agent conversation and a run.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { type ProviderReply, textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { first, samplePackage } from '../testing/packages/sample-package.ts';
import { createMcpRig, type McpRig } from '../testing/rigs/mcp-rig.ts';
import { writeTree } from '../testing/temp-folder.ts';
import { processesIn } from '../testing/views.ts';

const require = createRequire(import.meta.url);

function serverOf(name: string, ...args: string[]): object {
  const manifest = require.resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return {
    command: process.execPath,
    args: [join(dirname(manifest), 'dist/index.js'), ...args],
    trusted: true,
  };
}

const SERVERS = {
  everything: serverOf('everything'),
  files: serverOf('filesystem', '.'),
  memory: serverOf('memory'),
};

const call = (name: string, args: Readonly<Record<string, unknown>>): ProviderReply =>
  toolCallReply([{ name, arguments: args }]);

const ENTITY = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };

const SCRIPT = [
  call('mcp_everything_echo', { message: 'hello' }),
  call('mcp_files_write_file', { path: 'made.txt', content: 'made by a server' }),
  call('mcp_memory_create_entities', { entities: [ENTITY] }),
  call('mcp_memory_search_nodes', { query: 'Ada' }),
  textReply('Done.'),
];

function expectAnswers(events: readonly RunEvent[]): void {
  const ended = events.filter((event) => event.type === 'tool.ended');
  expect(ended.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['mcp.everything.echo', 'ok'],
    ['mcp.files.write_file', 'ok'],
    ['mcp.memory.create_entities', 'ok'],
    ['mcp.memory.search_nodes', 'ok'],
  ]);
  expect(ended[0]?.content).toContain('hello');
  expect(ended[3]?.content).toContain('writes programs');
}

async function createRig(): Promise<McpRig & { readonly pkg: string }> {
  const memory = { ...SERVERS.memory, env: ['MEMORY_FILE_PATH'] };
  const rig = await createMcpRig(SCRIPT, { ...SERVERS, memory });
  const { mcp } = await rig.runtime.settings();
  const { addressOf } = await import('./resolve-servers.ts');
  if (!mcp.servers.memory) throw new Error('no server');
  const values = { MEMORY_FILE_PATH: join(rig.root, 'memory.jsonl') };
  await rig.runtime.store.secrets.writeServer('memory', { address: addressOf(mcp.servers.memory), values });
  const pkg = join(rig.root, 'package');
  const tree = samplePackage(({ agents }) => {
    const menu = [{ trigger: 'go', description: 'Start', workflow: 'workflow.md' }];
    Object.assign(first(agents.agents), { menu, tools: { mcp: { enabled: true } } });
  });
  await writeTree(pkg, tree);
  return { ...rig, pkg };
}

describe('the reference servers', () => {
  it.each(['chat', 'agent'] as const)('[Y5] work in a conversation of the kind %s', async (kind) => {
    const rig = await createRig();
    const session = await rig.runtime.createWork({
      projectPath: rig.project,
      kind,
      ...(kind === 'agent' ? { package: rig.pkg } : {}),
      model: rig.model,
    });
    const events: RunEvent[] = [];
    session.subscribe((event) => events.push(event));
    await session.input('Use all of the servers, please.');
    await session.close();
    expectAnswers(events);
    expect(await readFile(join(rig.project, 'made.txt'), 'utf8')).toBe('made by a server');
    await expect.poll(() => processesIn(rig.project)).toEqual([]);
  });

  it('[Y5] work in a run', async () => {
    const rig = await createRig();
    const run = await rig.create({ package: rig.pkg, model: rig.model });
    await run.engine.start();
    expectAnswers(run.events);
    await run.close();
    await expect.poll(() => processesIn(rig.project)).toEqual([]);
  });

  it('[Y5] the file server cannot reach files outside of the project', async () => {
    const rig = await createMcpRig(
      [call('mcp_files_read_text_file', { path: '../secret.txt' }), textReply('.')],
      {
        files: SERVERS.files,
      },
    );
    await writeFile(join(rig.root, 'secret.txt'), 'outside');
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    expect(events.find(({ type }) => type === 'tool.ended')).toMatchObject({ code: 'MCP_TOOL_FAILED' });
  });
});
