/**
 * Nodes that have no file in the source: the end of a workflow without an exit, and an exit in the middle of a workflow. Pure.
 */
import type { EdgeDraft, NodeDraft } from '../package-draft.ts';

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
  const hasEnd = edges.some(({ to }) => to === END_ID);
  if (isOpen || !last || hasEnd) return { nodes: [], edges };
  const edge: EdgeDraft = {
    from: last.id,
    to: END_ID,
    label: 'done',
    isDefault: true,
    conditionText: 'The last step is finished and nothing has to be repeated.',
    certainty: 'inferred',
    evidence: [{ file: last.file, text: 'The last step only names steps before it.' }],
  };
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
