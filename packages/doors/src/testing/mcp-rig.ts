/** A real client of the SDK, connected to `crewagent mcp serve` in its own process. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRuntime, findRun, type RunEvidence, readEvidence } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { ENTRY } from './local-server.ts';

export interface McpRig {
  readonly root: string;
  readonly project: string;
  readonly store: string;
  readonly env: Record<string, string>;
  /** Another process with its host. `form`: what the person enters; undefined: the host shows no forms. */
  connect(options?: ConnectOptions): Promise<{ readonly client: Client; readonly pid: number }>;
  runIds(): Promise<string[]>;
  evidence(runId: string): Promise<RunEvidence>;
  events(runId: string): Promise<RunEvent[]>;
}

export interface ConnectOptions {
  form?(field: string, message: string): unknown;
  /** The version of the protocol without a handshake. */
  readonly isModern?: boolean;
  /** Default: the project of the rig. */
  readonly project?: string;
  readonly args?: readonly string[];
}

export async function createMcpRig(): Promise<McpRig> {
  const root = await mkdtemp(join(tmpdir(), 'crewagent-doors-'));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const [project, store] = [join(root, 'project'), join(root, 'store')];
  await mkdir(project);
  const env = { PATH: process.env.PATH ?? '', HOME: root, CREWAGENT_HOME: store };
  const runtime = () => createRuntime({ storeRoot: store });
  return {
    root,
    project,
    store,
    env,
    async connect({ args = [], ...options } = {}) {
      const client = createClient(options.project ?? project, options);
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [ENTRY, 'mcp', 'serve', ...args],
        env,
        stderr: 'inherit',
      });
      await client.connect(transport);
      onTestFinished(() => client.close());
      return { client, pid: transport.pid ?? 0 };
    },
    runIds: async () => (await runtime().listRuns()).map(({ workId }) => workId),
    async evidence(runId) {
      const { store: opened } = runtime();
      return readEvidence(opened, await findRun(opened, runId));
    },
    async events(runId) {
      const { store: opened } = runtime();
      const events: RunEvent[] = [];
      await opened.works.readLog(await findRun(opened, runId), (event) => void events.push(event));
      return events;
    },
  };
}

export function createClient(project: string, { form, isModern = false }: ConnectOptions): Client {
  const client = new Client(
    { name: 'scripted-host', version: '1.0.0' },
    {
      capabilities: { roots: {}, ...(form ? { elicitation: { form: {} } } : {}) },
      ...(isModern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
    },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(project).href }] }));
  if (form)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      if (!('requestedSchema' in params)) return { action: 'decline' };
      const fields = Object.keys(params.requestedSchema.properties);
      const values = fields.map((field): [string, string] => [field, String(form(field, params.message))]);
      return { action: 'accept', content: Object.fromEntries(values) };
    });
  return client;
}
