/**
 * What may be done in a run: the person's settings, tightened by the agent's wishes, as one object that feeds the prompt,
 * the list of tools and the enforcement. Pure.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';
import { toServerId } from '@crewagent/protocol/server-ids';
import { isChange } from '@crewagent/protocol/tool-effects';
import type { DescribedAction, SystemToolPolicy } from '@crewagent/protocol/tools';
import type { ToolDescription } from './tool-source.ts';

export interface ToolPolicy {
  readonly fs: {
    readonly enabled: boolean;
    readonly maxReadBytes: number;
    readonly maxWriteBytes: number;
    readonly inlineReadBytes: number;
  };
  readonly mcp: { readonly enabled: boolean; readonly allowedServers: readonly string[] };
  readonly approval: SystemToolPolicy['approval'];
  readonly artifactsDir: string;
  readonly strictState: boolean;
  readonly strictOutputs: boolean;
  readonly readAhead: boolean;
  readonly toolTimeoutMs: number;
}

const BYTES_PER_TOKEN = 4;

/** Limits take the smaller, switches both, server lists what is on both. */
export function mergePolicy(
  system: SystemToolPolicy,
  agent: AgentDefinition['tools'],
  contextTokens?: number,
): ToolPolicy {
  const contextShare =
    contextTokens === undefined ? Number.POSITIVE_INFINITY : (contextTokens * BYTES_PER_TOKEN) / 8;
  const wanted = agent?.mcp?.allowedServers?.map(toServerId);
  return {
    fs: {
      enabled: system.fs.enabled && (agent?.fs?.enabled ?? true),
      maxReadBytes: Math.min(system.fs.maxReadBytes, agent?.fs?.maxReadBytes ?? Number.POSITIVE_INFINITY),
      maxWriteBytes: Math.min(system.fs.maxWriteBytes, agent?.fs?.maxWriteBytes ?? Number.POSITIVE_INFINITY),
      inlineReadBytes: Math.floor(Math.min(system.fs.inlineReadBytes, contextShare)),
    },
    mcp: {
      enabled: system.mcp.enabled && (agent?.mcp?.enabled ?? false),
      allowedServers: system.mcp.allowedServers.filter(
        (server) => wanted === undefined || wanted.includes(server),
      ),
    },
    approval: system.approval,
    artifactsDir: system.artifactsDir,
    strictState: system.strictState,
    strictOutputs: system.strictOutputs,
    readAhead: system.readAhead,
    toolTimeoutMs: system.toolTimeoutMs,
  };
}

/** Whether the model is told of a tool, and may call it. Each family has its own switch. */
export function isOffered(
  tool: Pick<ToolDescription, 'family' | 'server' | 'isReadOnly'>,
  policy: ToolPolicy,
): boolean {
  if (!tool.isReadOnly && policy.approval === 'read-only') return false;
  switch (tool.family) {
    case 'fs':
      return policy.fs.enabled;
    case 'mcp': {
      const servers = serversOf(policy);
      return tool.server === undefined ? servers.length > 0 : servers.includes(tool.server);
    }
    case 'runtime':
    case 'ui':
      return true;
  }
}

/** Servers whose tools may be offered. */
export function serversOf({ mcp }: ToolPolicy): readonly string[] {
  return mcp.enabled ? mcp.allowedServers : [];
}

/** Whether an action needs a person's consent first. Changes of the run's own state and its artifacts never do. */
export function needsApproval(
  { target, effect }: Pick<DescribedAction, 'target' | 'effect'>,
  policy: ToolPolicy,
): boolean {
  if (policy.approval === 'autopilot') return false;
  if (!isChange({ kind: effect })) return true;
  return target.startsWith('@project/') && !target.startsWith(`@project/${policy.artifactsDir}/`);
}
