/**
 * A validated package in the form the rest of the runtime uses: graph and step frontmatter merged, paths normalised. Immutable.
 */
import type { About } from '@crewagent/protocol/about';
import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { BmadManifest } from '@crewagent/protocol/bmad';
import type { NodeProof } from '@crewagent/protocol/proof';
import type { TypedInput } from '@crewagent/protocol/typed-inputs';
import type { GraphNode, NodeType, StepFrontmatter, WorkflowGraph } from '@crewagent/protocol/workflow';

export interface WorkflowPackage {
  readonly manifest: BmadManifest;
  /** Undefined without an `about.json`. */
  readonly about?: About | undefined;
  readonly agents: readonly AgentDefinition[];
  /** The entry workflow first. */
  readonly workflows: readonly Workflow[];
}

export interface Workflow {
  /** The id in `bmad.json.workflows[]`, or the path of its workflow.md if it is not listed. */
  readonly ref: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly workflowPath: string;
  readonly graphPath: string;
  readonly graph: WorkflowGraph;
  readonly nodes: ReadonlyMap<string, WorkflowNode>;
  /** Questions to be answered once, before the first run. */
  readonly typedInputs: readonly TypedInput[];
  /** Globs of the project files that a run writes without asking; undefined if the workflow does not say. */
  readonly writes?: readonly string[] | undefined;
  /** Only files that its nodes declare are used without asking. */
  readonly rights?: 'declared' | undefined;
  /** The file that a person reads first when a run is complete; {variables} are not filled in. */
  readonly result?: string | undefined;
}

/** A workflow by its files. */
export type WorkflowSource = Pick<Workflow, 'ref' | 'title' | 'description' | 'workflowPath' | 'graphPath'>;

export interface WorkflowNode {
  readonly id: string;
  readonly type: NodeType;
  readonly file: string;
  readonly title: string;
  readonly agentId: string | undefined;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly setsVariables: readonly string[];
  /** Ref of the workflow this node calls; undefined for an ordinary step. */
  readonly subworkflow: string | undefined;
  /** Whether the called workflow gets the input documents, artifacts and variables. */
  readonly passContext: boolean;
  /** Variables of the called workflow that come back. */
  readonly returns: readonly string[];
  /** Whether the step needs the agents of the package, to speak as several of them. */
  readonly needsRoster: boolean;
  /** What must hold before the node is left; undefined if the step declares nothing. */
  readonly proof?: NodeProof | undefined;
  /** Only files that the step declares are used without asking. */
  readonly rights?: 'declared' | undefined;
}

/** A package as plain JSON. */
export type PlainPackage = Omit<WorkflowPackage, 'workflows'> & {
  readonly workflows: readonly (Omit<Workflow, 'nodes'> & { readonly nodes: readonly WorkflowNode[] })[];
};

/** Checks only the outline of the value. */
export function isPlainPackage(value: unknown): value is PlainPackage {
  const { manifest, agents, workflows } = { ...(value as Partial<PlainPackage> | undefined) };
  return (
    typeof manifest === 'object' &&
    Array.isArray(agents) &&
    Array.isArray(workflows) &&
    workflows.every(
      ({ nodes, graph, ref }) => Array.isArray(nodes) && typeof graph === 'object' && typeof ref === 'string',
    )
  );
}

export function toPlainPackage({ workflows, ...rest }: WorkflowPackage): PlainPackage {
  return {
    ...rest,
    workflows: workflows.map(({ nodes, ...workflow }) => ({ ...workflow, nodes: [...nodes.values()] })),
  };
}

export function fromPlainPackage({ workflows, ...rest }: PlainPackage): WorkflowPackage {
  return {
    ...rest,
    workflows: workflows.map(({ nodes, ...workflow }) => ({
      ...workflow,
      nodes: new Map(nodes.map((node) => [node.id, node])),
    })),
  };
}

/** Workflows, and those that they call at any depth. */
export function withCalled(workflows: readonly Workflow[], all: readonly Workflow[]): Workflow[] {
  const found = new Set(workflows);
  // A set iterates in insertion order, including members that are added during the iteration.
  for (const { nodes } of found) {
    const refs = new Set([...nodes.values()].map(({ subworkflow }) => subworkflow));
    for (const workflow of all) if (refs.has(workflow.ref)) found.add(workflow);
  }
  return [...found];
}

/** The graph wins; the step's frontmatter fills in blanks of the graph, an agent only if it exists. */
export function mergeNode(
  node: GraphNode,
  step: StepFrontmatter,
  known: {
    agentIds: ReadonlySet<string> | undefined;
    subworkflow: string | undefined;
    proof: NodeProof | undefined;
  },
): WorkflowNode {
  const stepAgent = step.agentId?.trim();
  return {
    id: node.id,
    type: effectiveType(node, step),
    file: toPackagePath(node.file),
    title: firstFilled(node.title, step.title) ?? node.id,
    agentId: firstFilled(node.agentId, stepAgent && known.agentIds?.has(stepAgent) ? stepAgent : undefined),
    inputs: node.inputs ?? step.inputs,
    outputs: node.outputs ?? step.outputs,
    setsVariables: step.setsVariables,
    subworkflow: known.subworkflow,
    passContext: step.passContext ?? false,
    returns: step.returns ?? [],
    needsRoster: step.roster === true,
    proof: known.proof,
    rights: step.rights,
  };
}

/** The step decides whether a node calls a workflow; otherwise the graph's type counts. */
export function effectiveType(node: Pick<GraphNode, 'type'>, step: Pick<StepFrontmatter, 'type'>): NodeType {
  return node.type === 'subworkflow' || step.type === 'subworkflow' ? step.type : node.type;
}

/** Normalises a path in a package document to the form of the file list. */
export function toPackagePath(path: string): string {
  return path.trim().replace(/^(?:\.\/+)+/, '');
}

function firstFilled(...values: readonly (string | undefined)[]): string | undefined {
  return values.map((value) => value?.trim()).find((value) => value);
}
