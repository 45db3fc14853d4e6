/**
 * Effective tool policy of a run: the user's settings, restricted by the agent's settings. Used by the prompt, the tool
 * list and the enforcement. Pure.
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
    readonly runsLaterPatterns: readonly string[];
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

/** Takes the smaller limits; a switch must be on in both, and a server must be in both lists. */
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
      runsLaterPatterns: system.fs.runsLaterPatterns,
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

/** Whether a tool is sent to the model and may be called. Each family has its own switch. */
export function isOffered(
  tool: Pick<ToolDescription, 'family' | 'server' | 'isReadOnly'>,
  policy: ToolPolicy,
): boolean {
  // Tools of the runtime change only the run's own state.
  if (!tool.isReadOnly && tool.family !== 'runtime' && policy.approval === 'read-only') return false;
  switch (tool.family) {
    case 'fs':
      return policy.fs.enabled;
    case 'mcp': {
      const servers = serversOf(policy);
      return tool.server === undefined ? servers.length > 0 : servers.includes(tool.server);
    }
    // Listed only if a person switched commands on for the project.
    case 'shell':
    case 'runtime':
    case 'ui':
      return true;
  }
}

/** Servers whose tools may be offered. */
export function serversOf({ mcp }: ToolPolicy): readonly string[] {
  return mcp.enabled ? mcp.allowedServers : [];
}

/** Whether an action needs the user's consent. Changes to the run's state and artifacts do not. */
export function needsApproval(
  { target, effect }: Pick<DescribedAction, 'target' | 'effect'>,
  policy: ToolPolicy,
): boolean {
  if (policy.approval === 'autopilot') return false;
  if (!isChange({ kind: effect })) return true;
  // What is not declared is asked about anyway.
  if (policy.approval === 'declared') return false;
  return target.startsWith('@project/') && !target.startsWith(`@project/${policy.artifactsDir}/`);
}
