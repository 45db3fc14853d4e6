/**
 * Prints an overview of a package: workflow outlines, agents and their menus.
 */
import { edgesByOrigin, type Workflow, type WorkflowPackage } from '@crewagent/core';
import type { About } from '@crewagent/protocol/about';
import { print, sanitize, style } from '../terminal.ts';
import { fit } from './text/cells.ts';
import { say } from './texts/say.ts';

const MARKS = { step: '○', decision: '◇', merge: '▽', end: '■', subworkflow: '▣' } as const;

/** Output limits, because a hostile package may hold any number. */
const MAX_WORKFLOWS = 20;
const MAX_NODES = 100;
const MAX_EDGES = 12;

export function printPackage({ manifest, about, workflows, agents }: WorkflowPackage): void {
  printAbout(about);
  if (manifest.description) print(`  ${sanitize(manifest.description)}`);
  for (const workflow of workflows.slice(0, MAX_WORKFLOWS)) printWorkflow(workflow);
  printOmitted(workflows.length - MAX_WORKFLOWS, '  ');
  print(`  ${style('bold', say('author.agents'))}`);
  for (const { id, metadata, menu = [] } of agents.slice(0, MAX_NODES)) {
    const name = `${sanitize(metadata.icon)} ${sanitize(metadata.name)}, ${sanitize(metadata.title)}`;
    const items = menu.slice(0, MAX_EDGES).map((item) => sanitize(item.trigger?.trim() || item.description));
    if (menu.length > items.length) items.push('…');
    print(
      `    ${name} ${style('dim', `(${sanitize(id)})`)}${items.length > 0 ? `: ${items.join(' · ')}` : ''}`,
    );
  }
  printOmitted(agents.length - MAX_NODES, '    ');
}

const ABOUT = ['title', 'license', 'authors', 'homepage', 'repository', 'keywords'] as const;

/** One line each. */
function printAbout(about: About = {}): void {
  const { title, license, homepage, repository, keywords, authors = [] } = about;
  const names = authors.slice(0, MAX_EDGES).map(({ name }) => name);
  const facts = {
    title,
    license,
    authors: names.join(', '),
    homepage,
    repository,
    keywords: keywords?.join(', '),
  };
  for (const name of ABOUT) {
    const value = facts[name];
    if (value) print(`  ${style('dim', fit(say(`packages.about.${name}`), 10))} ${sanitize(value, 200)}`);
  }
}

function printWorkflow(workflow: Workflow): void {
  const count = say('author.nodes', { count: workflow.nodes.size });
  print(
    `  ${style('bold', say('author.workflow'))} ${sanitize(workflow.ref)} ${style('dim', `— ${sanitize(workflow.title)}, ${count}`)}`,
  );
  const outgoing = edgesByOrigin(workflow.graph);
  const order = walk(workflow, outgoing);
  const shown = order.slice(0, MAX_NODES);
  const width = Math.min(60, Math.max(...shown.map((id) => id.length)));
  shown.forEach((id, index) => {
    const node = workflow.nodes.get(id);
    if (!node) return;
    const called = node.subworkflow ? style('dim', ` → ${sanitize(node.subworkflow, 200)}`) : '';
    const agent = node.agentId ? style('dim', ` (${sanitize(node.agentId)})`) : '';
    print(
      `    ${style('cyan', MARKS[node.type])} ${sanitize(id).padEnd(width)}  ${sanitize(node.title)}${called}${agent}`,
    );
    const edges = outgoing.get(id) ?? [];
    const [only] = edges;
    if (edges.length === 1 && only && only.to === order[index + 1]) return;
    for (const edge of edges.slice(0, MAX_EDGES)) {
      const isDefault = edge.isDefault ? `, ${say('author.default')}` : '';
      print(style('dim', `      └ ${sanitize(edge.label)}${isDefault} → ${sanitize(edge.to)}`));
    }
    printOmitted(edges.length - MAX_EDGES, '      ');
  });
  printOmitted(order.length - MAX_NODES, '    ');
}

function printOmitted(count: number, indent: string): void {
  if (count > 0) print(style('dim', indent + say('packages.more', { count })));
}

/** Breadth first from the entry node; unreachable nodes last. */
function walk({ graph }: Workflow, outgoing: ReturnType<typeof edgesByOrigin>): string[] {
  const order = new Set([graph.entryNodeId]);
  for (const id of order) for (const edge of outgoing.get(id) ?? []) order.add(edge.to);
  for (const node of graph.nodes) order.add(node.id);
  return [...order];
}
