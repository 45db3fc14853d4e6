/** A real client of the SDK, connected to `crewagent mcp serve` in its own process. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, findRun, type RunEvidence, readEvidence } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { createClient, type HostAbilities } from './host-client.ts';
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

export interface ConnectOptions extends HostAbilities {
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
