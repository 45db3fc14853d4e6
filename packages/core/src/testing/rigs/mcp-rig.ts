/**
 * The whole runtime with MCP servers in its settings and a scripted provider, on temporary folders.
 */
import { join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import { type ShellSettings, shellSettingsSchema } from '@crewagent/protocol/shell';
import { onTestFinished } from 'vitest';
import type { SettingsChange } from '../../store/settings-store.ts';
import { type ProviderScript, startFakeProvider } from '../models/fake-provider.ts';
import { writeTree } from '../temp-folder.ts';
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

/** The whole runtime with commands switched on for its project, and a scripted provider. */
export type ShellRig = Awaited<ReturnType<typeof createShellRig>>;

/** The whole runtime with commands switched on for its project. */
export async function createShellRig(
  script: ProviderScript,
  {
    shell = { enabled: true },
    tree = {},
  }: { readonly shell?: Partial<ShellSettings>; readonly tree?: Readonly<Record<string, string>> } = {},
) {
  const rig = await createMcpRig(script, {});
  await writeTree(rig.project, tree);
  const { store } = rig.runtime;
  const { projectId } = await store.projects.open(rig.project, { now: () => new Date() });
  const setShell = async (settings: Partial<ShellSettings>): Promise<void> =>
    void (await store.projects.update(projectId, (project) => ({
      ...project,
      shell: shellSettingsSchema.parse(settings),
    })));
  await setShell(shell);
  return { ...rig, projectId, setShell };
}
