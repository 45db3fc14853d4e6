/** Where a finding is: the node, edge, agent or text to show. Pure. */
import type { AuthorModel } from '@crewagent/protocol/author';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import type { Selection } from './use-author.ts';

export interface EditorTarget {
  readonly tab: 'details' | 'text' | 'agents';
  readonly graph?: string;
  readonly selection?: Selection;
  readonly file?: string;
  readonly agentId?: string;
}

/** Undefined for a file that has no text here. */
export function toTarget(
  { workflows, agents, agentsFile, files }: AuthorModel,
  { file, pointer = '' }: Diagnostic,
): EditorTarget | undefined {
  const [, list, index] = /^\/(nodes|edges|agents)\/(\d+)/.exec(pointer) ?? [];
  const workflow = workflows.find((one) => one.graph === file);
  const node = workflow?.nodes[list === 'nodes' ? Number(index) : -1];
  if (workflow && node)
    return { tab: 'details', graph: workflow.graph, selection: { kind: 'node', id: node.id } };
  if (workflow?.edges[list === 'edges' ? Number(index) : -1])
    return { tab: 'details', graph: workflow.graph, selection: { kind: 'edge', index: Number(index) } };
  const agent = file === agentsFile && list === 'agents' ? agents[Number(index)] : undefined;
  if (agent) return { tab: 'agents', agentId: agent.id };
  for (const { graph, nodes } of workflows) {
    const own = nodes.find((one) => one.file === file);
    if (own) return { tab: 'text', graph, selection: { kind: 'node', id: own.id }, file };
  }
  return files.some(({ path, isText }) => path === file && isText) ? { tab: 'text', file } : undefined;
}
