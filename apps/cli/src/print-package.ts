/**
 * A package at a glance: its workflows as an outline, its agents and what their menus offer.
 */
import type { Workflow, WorkflowPackage } from '@crewagent/core';
import { plural } from './print-diagnostics.ts';
import { foreign, print, style } from './terminal.ts';

const MARKS = { step: '○', decision: '◇', merge: '▽', end: '■', subworkflow: '▣' } as const;

export function printPackage({ manifest, workflows, agents }: WorkflowPackage): void {
  if (manifest.description) print(`  ${foreign(manifest.description)}`);
  for (const workflow of workflows) printWorkflow(workflow);
  print(`  ${style('bold', 'Agents')}`);
  for (const { id, metadata, menu } of agents) {
    const name = `${foreign(metadata.icon)} ${foreign(metadata.name)}, ${foreign(metadata.title)}`;
    const items = (menu ?? []).map((item) => foreign(item.trigger?.trim() || item.description));
    print(`    ${name} ${style('dim', `(${id})`)}${items.length > 0 ? `: ${items.join(' · ')}` : ''}`);
  }
}

function printWorkflow(workflow: Workflow): void {
  const count = plural(workflow.nodes.size, 'node');
  print(
    `  ${style('bold', 'Workflow')} ${foreign(workflow.ref)} ${style('dim', `— ${foreign(workflow.title)}, ${count}`)}`,
  );
  const outgoing = groupByOrigin(workflow);
  const order = walk(workflow, outgoing);
  const width = Math.max(...order.map((id) => id.length));
  order.forEach((id, index) => {
    const node = workflow.nodes.get(id);
    if (!node) return;
    const agent = node.agentId ? style('dim', ` (${foreign(node.agentId)})`) : '';
    print(`    ${style('cyan', MARKS[node.type])} ${id.padEnd(width)}  ${foreign(node.title)}${agent}`);
    const edges = outgoing.get(id) ?? [];
    const [only] = edges;
    if (edges.length === 1 && only && only.to === order[index + 1]) return;
    for (const edge of edges) {
      const isDefault = edge.isDefault ? ', default' : '';
      print(style('dim', `      └ ${foreign(edge.label)}${isDefault} → ${edge.to}`));
    }
  });
}

type Edges = ReadonlyMap<string, readonly Workflow['graph']['edges'][number][]>;

function groupByOrigin({ graph }: Workflow): Edges {
  const outgoing = new Map<string, Workflow['graph']['edges']>();
  for (const edge of graph.edges) outgoing.set(edge.from, [...(outgoing.get(edge.from) ?? []), edge]);
  return outgoing;
}

/** Breadth first from the entry; what cannot be reached comes last. */
function walk({ graph }: Workflow, outgoing: Edges): string[] {
  const order = new Set([graph.entryNodeId]);
  for (const id of order) for (const edge of outgoing.get(id) ?? []) order.add(edge.to);
  for (const node of graph.nodes) order.add(node.id);
  return [...order];
}
