/**
 * Nodes that have no file in the source: calls of other workflows (`<invoke-workflow>`), each between the calling step and the next
 * one, the end of a workflow without an exit, an exit in the middle of a workflow, and the choice between several beginnings.
 */
import type { Evidence } from '@crewagent/protocol/import-report';
import type { ImportScope } from '../source/import-scope.ts';
import { addUniqueId, type EdgeDraft, type NodeDraft, toEdge, toId } from '../source/package-draft.ts';
import { type ReferenceScope, resolveReference } from '../source/resolve-reference.ts';
import { findCalls, type SegmentNode } from './segment-edges.ts';

interface Caller {
  /** Id of the workflow. */
  readonly id: string;
  readonly folder: string;
  readonly references: ReferenceScope;
}

export function withCalls(
  segments: readonly SegmentNode[],
  edges: readonly EdgeDraft[],
  { id, folder, references }: Caller,
  scope: ImportScope,
): { nodes: NodeDraft[]; edges: EdgeDraft[] } {
  const nodes: NodeDraft[] = [];
  const usedIds = new Set(segments.map((segment) => segment.id));
  let all = [...edges];
  for (const node of segments) {
    // From last to first, so that each call leads to the next one.
    for (const { text, condition, evidence } of findCalls(node).reverse()) {
      const found = resolveReference(text, references);
      const target = found.kind === 'file' ? scope.workflowIdOf(found.path) : scope.workflowIdOfSkill(text);
      if (target === undefined || target === id) {
        const message = 'No imported workflow matches; the call stays in the text.';
        scope.notes.addUnresolved(text, evidence, message);
        continue;
      }
      const callId = addUniqueId(toId(`call-${target}-${node.segment.number}`), usedIds);
      const isAlways = condition === undefined;
      const known = all.filter(({ from }) => from === node.id);
      // After a call in a step that nothing follows.
      const onward = known.length > 0 ? known : [toEndEdge(node.id, 'The last step is finished.', evidence)];
      if (known.length === 0) all.push(...onward);
      nodes.push(toCallNode(callId, target, folder));
      all = [
        ...all.filter((edge) => !isAlways || edge.from !== node.id),
        toEdge({ from: node.id, to: callId, label: `call ${target}` }, evidence, {
          isDefault: isAlways,
          conditionText: condition ?? evidence.text,
        }),
        ...onward.map((edge) => ({ ...edge, from: callId })),
      ];
      scope.notes.add(
        'invoke-workflow',
        'exact',
        { ...evidence, workflow: id },
        `${callId} calls ${target}.`,
      );
    }
  }
  if (all.some(({ to }) => to === END_ID)) nodes.push(toEndNode(END_ID, folder));
  return { nodes, edges: all };
}

export function toEndEdge(from: string, conditionText: string, evidence: Evidence): EdgeDraft {
  const rest = { isDefault: true, conditionText, certainty: 'inferred' } as const;
  return toEdge({ from, to: END_ID, label: 'done' }, evidence, rest);
}

export function toCallNode(id: string, target: string, folder: string): NodeDraft {
  return {
    ...toPlainNode(id, `Call ${target}`, folder),
    type: 'subworkflow',
    subworkflow: `../${target}/workflow.md`,
    body: `\n# Call the workflow ${target}\n\nRun the workflow \`${target}\` of this package, then move on.\n`,
  };
}

interface Step {
  readonly id: string;
  readonly file: string;
}

/** Adds an end node after the last step if every step has an outgoing edge and none leads to an end node. */
export function withEnd(
  steps: readonly Step[],
  edges: readonly EdgeDraft[],
  folder: string,
): { nodes: NodeDraft[]; edges: readonly EdgeDraft[] } {
  const last = steps.at(-1);
  const isOpen = steps.some(({ id }) => !edges.some(({ from }) => from === id));
  const hasEnd = edges.some(({ to }) => /^end-/.test(to));
  if (isOpen || !last || hasEnd) return { nodes: [], edges };
  const why = 'The last step is finished and nothing has to be repeated.';
  const edge = toEndEdge(last.id, why, {
    file: last.file,
    text: 'The last step only names steps before it.',
  });
  return { nodes: [toEndNode(END_ID, folder)], edges: [...edges, edge] };
}

export const END_ID = 'end-done';

export function toEndNode(id: string, folder: string): NodeDraft {
  const body = '\n# End of the workflow\n\nTell the person in one sentence how the workflow ended.\n';
  return { ...toPlainNode(id, 'End of the workflow', folder), type: 'end', body };
}

export function toPlainNode(id: string, title: string, folder: string): NodeDraft {
  return {
    id,
    type: 'step',
    file: `${folder}steps/${id}.md`,
    title,
    outputs: [],
    setsVariables: [],
    yaml: '',
    fields: {},
    body: '',
  };
}

export const START_ID = 'choose-start';

export function toStartNode(folder: string): NodeDraft {
  const body =
    '\n# Choose where to start\n\nThe workflow can begin with different steps. Decide by what the person wants and by the body of workflow.md; ask when it is not clear.\n';
  return { ...toPlainNode(START_ID, 'Choose where to start', folder), type: 'decision', body };
}
