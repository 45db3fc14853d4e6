/**
 * The whole runtime with MCP servers in its settings and a scripted provider, on temporary folders.
 */
import { join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import { onTestFinished } from 'vitest';
import type { SettingsChange } from '../../store/settings-store.ts';
import { type ProviderScript, startFakeProvider } from '../models/fake-provider.ts';
import { createRuntimeRig } from './runtime-rig.ts';

const SERVER = join(import.meta.dirname, '../mcp-server.mjs');

export type McpRig = Awaited<ReturnType<typeof createMcpRig>>;

/** Settings of a server that behaves according to the flags. */
export function testServer(...flags: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [SERVER, ...flags] };
}

export async function createMcpRig(
  script: ProviderScript,
  servers: Readonly<Record<string, object>> = { test: testServer() },
) {
  const rig = await createRuntimeRig();
  const provider = await startFakeProvider(script);
  onTestFinished(() => provider.close());
  onTestFinished(() => rig.runtime.close());
  await rig.runtime.store.settings.update({ mcp: { servers } } as SettingsChange);
  const model = { model: 'm', baseUrl: provider.url };
  return {
    ...rig,
    provider,
    model,
    /** Opens a chat and records its events. */
    async chat(approval: 'ask' | 'autopilot' | 'read-only' = 'ask') {
      const { runtime, project } = rig;
      const session = await runtime.createWork({
        projectPath: project,
        kind: 'chat',
        model,
        approval,
      });
      onTestFinished(() => session.close());
      const events: RunEvent[] = [];
      session.subscribe((event) => events.push(event));
      return { session, events };
    },
    /** Names of the tools in a request. */
    offered: (index: number): string[] =>
      provider.requests[index]?.body.tools?.map((tool) => tool.function.name) ?? [],
  };
}
