/**
 * Checks a step's frontmatter against its node. The graph wins; the step may only agree or be silent.
 */
import { identifierSchema } from '@crewagent/protocol/format';
import type { GraphEdge, GraphNode } from '@crewagent/protocol/workflow';
import type { Findings } from '../findings/findings.ts';
import { locate } from '../findings/schema-findings.ts';
import { checkOutputs } from './package-rules.ts';
import type { Step } from './read-steps.ts';

export function checkStep(
  step: Step,
  node: GraphNode,
  graph: { edges: readonly GraphEdge[]; agentIds: ReadonlySet<string> | undefined },
  findings: Findings,
): void {
  const { nodeId } = step.frontmatter;
  if (nodeId !== '' && node.id !== '' && nodeId !== node.id) {
    findings.add('NODE_ID_MISMATCH', {
      ...locate(step, ['nodeId']),
      message: `the step says nodeId "${nodeId}", but node "${node.id}" points to this file`,
      fix: fixMismatch(nodeId, node.id),
    });
  }
  checkType(step, node, findings);
  checkStepAgent(step, graph.agentIds, findings);
  checkOutputs(step.frontmatter.outputs, (index) => locate(step, ['outputs', index]), findings);
  checkTransitions(step, graph.edges, findings);
}

/** An invalid id must not be copied to the other document. */
function fixMismatch(stepId: string, nodeId: string): string {
  if (isIdentifier(nodeId)) return `Write nodeId: ${nodeId}, or point the node to another file.`;
  return isIdentifier(stepId) ? `Give the node the id "${stepId}".` : 'Write the same valid id in both.';
}

function isIdentifier(id: string): boolean {
  return identifierSchema.safeParse(id).success;
}

/** Where only one of the two says that a workflow is called. */
function checkType(step: Step, node: GraphNode, findings: Findings): void {
  const { type } = step.frontmatter;
  if (type === node.type || (type !== 'subworkflow' && node.type !== 'subworkflow')) return;
  findings.add('TYPES_DISAGREE', {
    ...locate(step, ['type']),
    message: `the step is a "${type}" and the graph calls node "${node.id}" a "${node.type}"; the step's type is used`,
    fix: 'Write the same type in both.',
  });
}

function checkStepAgent(step: Step, agentIds: ReadonlySet<string> | undefined, findings: Findings): void {
  const { agentId } = step.frontmatter;
  if (agentId === undefined) return;
  if (agentId.trim() === '') {
    findings.add('BLANK_AGENT', {
      ...locate(step, ['agentId']),
      message: '"agentId" is empty and counts as absent',
      fix: 'Remove the key, or name an agent.',
    });
  } else if (agentIds && !agentIds.has(agentId.trim())) {
    findings.add('STEP_AGENT_UNKNOWN', {
      ...locate(step, ['agentId']),
      message: `the step names the agent "${agentId.slice(0, 80)}", which agents.json does not have; it is ignored`,
      fix: 'Use the id of an agent in agents.json, or remove the key.',
    });
  }
}

/** Compares target and label only: existing tools mark a single edge as default in the step but not in the graph. */
function checkTransitions(step: Step, edges: readonly GraphEdge[], findings: Findings): void {
  const { transitions } = step.frontmatter;
  if (transitions.length === 0) return;
  const drawn = new Set(edges.map(pairOf));
  const listed = new Set(transitions.map(pairOf));
  const fix = 'Make the transitions equal to the edges of the graph, or remove them; the graph decides.';
  const strayTargets = new Set<string>();
  transitions.forEach((transition, index) => {
    const { to, label } = transition;
    if (to === '' || label === '' || drawn.has(pairOf(transition))) return;
    strayTargets.add(to);
    const message = `the step has a transition to "${to.slice(0, 80)}" (${label.slice(0, 80)}) that the graph does not have`;
    findings.add('TRANSITIONS_DISAGREE', { ...locate(step, ['transitions', index]), message, fix });
  });
  for (const edge of edges) {
    if (edge.to === '' || edge.label === '' || listed.has(pairOf(edge))) continue;
    // A different label for the same target is one disagreement, reported above.
    if (strayTargets.has(edge.to)) continue;
    const message = `the step omits the edge to "${edge.to.slice(0, 80)}" (${edge.label.slice(0, 80)}) that the graph has`;
    findings.add('TRANSITIONS_DISAGREE', { ...locate(step, ['transitions']), message, fix });
  }
}

function pairOf({ to, label }: { to: string; label: string }): string {
  return JSON.stringify([to, label]);
}
