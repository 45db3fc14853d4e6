/**
 * A package while it is being converted: workflows with nodes and edges, each edge with the lines of the source that it
 * rests on, and the side files that are copied along. Paths of the package start at its root.
 */
import type { Certainty, Evidence, WorkflowKind } from '@crewagent/protocol/import-report';
import type { NodeType } from '@crewagent/protocol/workflow';
import type { Fields } from './source-yaml.ts';

export interface WorkflowDraft {
  readonly id: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly kind: WorkflowKind;
  readonly module: string;
  /** The file of the source that defines it. */
  readonly source: string;
  /** `workflows/<id>/`. */
  readonly folder: string;
  /** Frontmatter of the author, as text. */
  readonly yaml: string;
  /** Keys that are set on top of the author's. */
  readonly fields: Fields;
  readonly body: string;
  readonly entryNodeId: string;
  readonly nodes: readonly NodeDraft[];
  readonly edges: readonly EdgeDraft[];
  /** Moves of the source that lead to nothing in the package. */
  readonly droppedMoves: readonly EdgeDraft[];
  /** Initial values that only this workflow has. */
  readonly variables: Fields;
  /** Files whose `{braces}` decide which configured values the workflow needs. */
  readonly sourceFiles: readonly string[];
  /** Package path → path in the source. */
  readonly files: ReadonlyMap<string, string>;
}

export interface NodeDraft {
  readonly id: string;
  readonly type: NodeType;
  /** Path in the package. */
  readonly file: string;
  readonly title: string;
  readonly description?: string | undefined;
  readonly outputs: readonly string[];
  readonly setsVariables: readonly string[];
  readonly subworkflow?: string | undefined;
  readonly yaml: string;
  readonly fields: Fields;
  readonly body: string;
}

export interface EdgeDraft {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly isDefault: boolean;
  readonly conditionText?: string | undefined;
  readonly certainty: Certainty;
  readonly evidence: readonly Evidence[];
}

/** Keys of a step that a source may use for something else. */
export const RESERVED_KEYS = [
  'type',
  'inputs',
  'outputs',
  'agentId',
  'setsVariables',
  'subworkflow',
  'passContext',
  'transitions',
] as const;

/** An id of the format: letters, digits, dots and hyphens, beginning with a letter or digit. */
export function toId(text: string): string {
  const id = text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[-.]+$/g, '');
  return id.slice(0, 80) || 'unnamed';
}

/** `id`, or `id-2`, `id-3` where it is taken. */
export function toUniqueId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id;
  for (let number = 2; ; number++) if (!taken.has(`${id}-${number}`)) return `${id}-${number}`;
}

/** The text of the first heading, of at most the given level. */
export function headingOf(body: string, level: 1 | 6 = 6): string | undefined {
  const heading = level === 1 ? /^#[ \t]+(\S.{0,200})$/m : /^#{1,6}[ \t]+(\S.{0,200})$/m;
  return heading.exec(body)?.[1]?.replace(/[ \t#]+$/, '');
}

/**
 * Edges as the format wants them: with several ways out of a node, each has a label of its own and exactly one is the
 * default: the one marked, else the first.
 */
export function withLabels(edges: readonly EdgeDraft[]): EdgeDraft[] {
  const origins = new Map<string, EdgeDraft[]>();
  for (const edge of edges) origins.set(edge.from, [...(origins.get(edge.from) ?? []), edge]);
  return [...origins.values()].flatMap((siblings) => {
    const chosen = siblings.find(({ isDefault }) => isDefault) ?? siblings[0];
    return siblings.map((edge) => {
      const isShared = siblings.some((other) => other !== edge && other.label === edge.label);
      const label = isShared && edge !== chosen ? `${edge.label} ${edge.to}` : edge.label;
      return { ...edge, label, isDefault: siblings.length > 1 && edge === chosen };
    });
  });
}
