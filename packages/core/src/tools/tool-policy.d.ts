/**
 * What may be done in a run: the person's settings, tightened by the agent's wishes, as one object that feeds the prompt,
 * the list of tools and the enforcement. Pure.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { SystemToolPolicy } from '@crewagent/protocol/tools';
import type { Tool } from './tool.ts';
export interface ToolPolicy {
  readonly fs: {
    readonly enabled: boolean;
    readonly maxReadBytes: number;
    readonly maxWriteBytes: number;
    readonly inlineReadBytes: number;
  };
  readonly mcp: {
    readonly enabled: boolean;
    readonly allowedServers: readonly string[];
  };
  readonly approval: SystemToolPolicy['approval'];
  readonly artifactsDir: string;
  readonly strictState: boolean;
  readonly strictOutputs: boolean;
  readonly toolTimeoutMs: number;
}
/** Limits take the smaller, switches both, server lists what is on both. */
export declare function mergePolicy(
  system: SystemToolPolicy,
  agent: AgentDefinition['tools'],
  contextTokens?: number,
): ToolPolicy;
/** Whether the model is told of a tool, and may call it. Each family has its own switch. */
export declare function isOffered(tool: Pick<Tool, 'family' | 'writes'>, policy: ToolPolicy): boolean;
/** Whether a change needs a person's word first. The run's own state and its artifacts never do. */
export declare function needsApproval(path: string, policy: ToolPolicy): boolean;
