/**
 * A package during conversion: workflows with nodes and edges, each edge with the source lines it is based on, and the side
 * files to copy. Package paths start at the package root.
 */
import type { Certainty, Evidence } from '@crewagent/protocol/import-report';
import type { WrittenProof } from '@crewagent/protocol/proof';
import type { NodeType } from '@crewagent/protocol/workflow';
import type { SourceWorkflow } from './recognise-source.ts';
import type { Fields } from './source-yaml.ts';

export interface WorkflowDraft {
  readonly id: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly origin: SourceWorkflow;
  /** `workflows/<id>/`. */
  readonly folder: string;
  /** The author's frontmatter, as text. */
  readonly yaml: string;
  /** Keys that override the author's. */
  readonly fields: Fields;
  readonly body: string;
  readonly entryNodeId: string;
  readonly nodes: readonly NodeDraft[];
  readonly edges: readonly EdgeDraft[];
  /** Moves of the source without a target in the package. */
  readonly droppedMoves: readonly EdgeDraft[];
  /** Initial values of this workflow only. */
  readonly variables: Fields;
  /** Files whose `{braces}` determine which configured values the workflow needs. */
  readonly sourceFiles: readonly string[];
  /** Package path → source path. */
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
  /** The agent of this node; else that of the workflow. */
  readonly agentId?: string | undefined;
  readonly waits?: WrittenProof['waits'];
  readonly produces?: WrittenProof['produces'];
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

/** An edge with one piece of evidence; exact, and not the default, unless `rest` says otherwise. */
export function toEdge(
  ends: Pick<EdgeDraft, 'from' | 'to' | 'label'>,
  evidence: Evidence,
  rest: Partial<EdgeDraft> = {},
): EdgeDraft {
  return { ...ends, isDefault: false, certainty: 'exact', evidence: [evidence], ...rest };
}

/** Keys of a step that a source may use with another meaning. */
export const RESERVED_KEYS = [
  'type',
  'inputs',
  'outputs',
  'agentId',
  'setsVariables',
  'subworkflow',
  'passContext',
  'roster',
  'transitions',
  'waits',
  'produces',
  'consumes',
  'verify',
  'rights',
] as const;

/** A valid id: letters, digits, dots and hyphens, beginning with a letter or digit. */
export function toId(text: string): string {
  const id = text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[-.]+$/g, '');
  return id.slice(0, 80) || 'unnamed';
}

/** Adds `id` to the used ids, or `id-2`, `id-3` if it is in use. */
export function addUniqueId(id: string, usedIds: Set<string>): string {
  let unique = id;
  for (let number = 2; usedIds.has(unique); number++) unique = `${id}-${number}`;
  usedIds.add(unique);
  return unique;
}

/** The text of the first heading with at most the given level. */
export function headingOf(body: string, level: 1 | 6 = 6): string | undefined {
  const heading = level === 1 ? /^#[ \t]+(\S.{0,200})$/m : /^#{1,6}[ \t]+(\S.{0,200})$/m;
  return heading.exec(body)?.[1]?.replace(/[ \t#]+$/, '');
}

/**
 * Edges as the format requires them: several edges out of a node have distinct labels, and exactly one is the default: the
 * marked one, else the first that does not start over.
 */
export function withLabels(edges: readonly EdgeDraft[]): EdgeDraft[] {
  const origins = new Map<string, EdgeDraft[]>();
  for (const edge of edges) origins.set(edge.from, [...(origins.get(edge.from) ?? []), edge]);
  return [...origins.values()].flatMap((siblings) => {
    const chosen =
      siblings.find(({ isDefault }) => isDefault) ??
      siblings.find((edge) => !startsOver(edge)) ??
      siblings[0];
    return siblings.map((edge) => {
      const isShared = siblings.some((other) => other !== edge && other.label === edge.label);
      const label = isShared && edge !== chosen ? `${edge.label} ${edge.to}` : edge.label;
      return { ...edge, label, isDefault: siblings.length > 1 && edge === chosen };
    });
  });
}

function startsOver({ label, conditionText }: EdgeDraft): boolean {
  return /\b(?:start|begin)(?:s|ing)? (?:over|again|afresh)\b|\brestart|\bdelete\b/i.test(
    `${label} ${conditionText ?? ''}`,
  );
}
