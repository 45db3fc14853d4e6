/**
 * Checks a graph for consistency: ids, edges, agents, paths from entry to end. Each finding has its location in the file.
 */
import type { GraphEdge, WorkflowGraph } from '@crewagent/protocol/workflow';
import { closedCycles, edgesByOrigin, reachableNodes } from '../../workflow/graph.ts';
import type { Findings } from '../findings/findings.ts';
import { createSimilarFinder } from '../findings/similar-name.ts';
import { checkOutputs, checkUnique, describeCycle } from './package-rules.ts';

export function checkGraph(
  graph: WorkflowGraph,
  file: string,
  agentIds: ReadonlySet<string> | undefined,
  findings: Findings,
): void {
  const ids = graph.nodes.map(({ id }) => id);
  checkUnique(ids, { file, list: '/nodes', what: 'node' }, findings);
  const isClosed = checkNodeReferences(graph, file, findings);
  checkNodeAgents(graph, file, agentIds, findings);
  graph.nodes.forEach(({ outputs }, node) => {
    const locationOf = (index: number) => ({ file, pointer: `/nodes/${node}/outputs/${index}` });
    checkOutputs(outputs, locationOf, findings);
  });
  // Paths through a graph with dangling edges mean nothing.
  if (isClosed) checkPaths(graph, file, findings);
}

function checkNodeReferences(graph: WorkflowGraph, file: string, findings: Findings): boolean {
  const ids = new Set(graph.nodes.map((node) => node.id));
  // A reference may be to a node whose id cannot be read.
  if (ids.has('')) return false;
  let isClosed = true;
  const similarTo = createSimilarFinder();
  const toFix = (id: string): string => {
    const similar = similarTo(id, ids);
    return similar ? `Did you mean "${similar}"?` : 'Use the id of a node in this graph, or add the node.';
  };
  const expectNode = (id: string, pointer: string): void => {
    if (ids.has(id)) return;
    isClosed = false;
    if (id === '') return;
    findings.add('UNKNOWN_NODE', {
      file,
      pointer,
      message: `there is no node "${id.slice(0, 80)}"`,
      fix: toFix(id),
    });
  };
  expectNode(graph.entryNodeId, '/entryNodeId');
  graph.edges.forEach((edge, index) => {
    expectNode(edge.from, `/edges/${index}/from`);
    expectNode(edge.to, `/edges/${index}/to`);
  });
  return isClosed;
}

function checkNodeAgents(
  graph: WorkflowGraph,
  file: string,
  agentIds: ReadonlySet<string> | undefined,
  findings: Findings,
): void {
  graph.nodes.forEach((node, index) => {
    if (node.agentId === undefined) return;
    const pointer = `/nodes/${index}/agentId`;
    const agentId = node.agentId.trim();
    if (agentId === '') {
      findings.add('BLANK_AGENT', {
        file,
        pointer,
        message: `the agentId of node "${node.id}" is empty and counts as absent`,
        fix: 'Remove the key, or name an agent.',
      });
    } else if (agentIds && !agentIds.has(agentId)) {
      findings.add('UNKNOWN_AGENT', {
        file,
        pointer,
        message: `node "${node.id}" names the agent "${agentId.slice(0, 80)}", which agents.json does not have`,
        fix: 'Use the id of an agent in agents.json, or add the agent.',
      });
    }
  });
}

function checkPaths(graph: WorkflowGraph, file: string, findings: Findings): void {
  const outgoing = edgesByOrigin(graph);
  const reachable = reachableNodes(graph.entryNodeId, outgoing);
  if (!graph.nodes.some((node) => node.type === 'end' && reachable.has(node.id))) {
    findings.add('NO_END_REACHABLE', {
      file,
      pointer: '/nodes',
      message:
        'no end node can be reached from the entry; a run ends when a node without outgoing edges is completed',
      fix: 'Add a node of type "end" and an edge that leads to it.',
    });
  }
  for (const cycle of closedCycles(outgoing)) {
    findings.add('CYCLE_WITHOUT_EXIT', {
      file,
      pointer: '/edges',
      message: `the cycle ${describeCycle(cycle, 'nodes')} has no exit`,
      fix: 'Add an edge from one of these nodes to a node outside.',
    });
  }
  graph.nodes.forEach((node, index) => {
    const pointer = `/nodes/${index}`;
    if (!reachable.has(node.id)) {
      findings.add('NODE_UNREACHABLE', {
        file,
        pointer,
        message: `node "${node.id}" cannot be reached from the entry`,
        fix: 'Add an edge that leads to it, or remove it.',
      });
    }
    checkChoices(node, outgoing.get(node.id) ?? [], { file, pointer }, findings);
  });
}

function checkChoices(
  node: WorkflowGraph['nodes'][number],
  edges: readonly GraphEdge[],
  location: { file: string; pointer: string },
  findings: Findings,
): void {
  const defaults = edges.filter((edge) => edge.isDefault).length;
  if (defaults > 1) {
    findings.add('SEVERAL_DEFAULTS', {
      ...location,
      message: `node "${node.id}" has ${defaults} default edges`,
      fix: 'Keep isDefault: true on one of them.',
    });
  }
  if (node.type !== 'decision') return;
  if (edges.length < 2) {
    findings.add('DECISION_WITHOUT_CHOICE', {
      ...location,
      message: `the decision "${node.id}" has ${edges.length === 0 ? 'no outgoing edge' : 'only one outgoing edge'}`,
      fix: 'Add edges for its choices, or make it a node of type "step".',
    });
  } else if (defaults === 0) {
    findings.add('DECISION_WITHOUT_DEFAULT', {
      ...location,
      message: `the decision "${node.id}" has no default edge`,
      fix: 'Set isDefault: true on the edge to take when no other condition holds.',
    });
  }
}
