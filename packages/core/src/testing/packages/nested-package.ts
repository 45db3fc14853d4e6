/**
 * A package of workflows that call each other: each in a folder of its own, the root workflow at the top.
 */
import { type FileTree, samplePackage, workflow } from './sample-package.ts';

export interface NestedNode {
  readonly type?: string;
  /** Target as the step names it; makes the node a call. */
  readonly calls?: string;
  /** Further lines of the step's frontmatter. */
  readonly more?: string;
  readonly body?: string;
  readonly agentId?: string;
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
}

export interface NestedFlow {
  readonly nodes: Readonly<Record<string, NestedNode>>;
  /** `from to label?`; without any, the nodes follow each other. */
  readonly edges?: readonly string[];
  /** Further lines of the frontmatter of workflow.md. */
  readonly more?: string;
}

/** By folder; '' is the root workflow. */
export function nestedPackage(
  flows: Readonly<Record<string, NestedFlow>>,
  listed: Record<string, string> = {},
): FileTree {
  const files: FileTree = {};
  for (const [folder, flow] of Object.entries(flows)) {
    const at = (path: string): string => (folder === '' ? path : `${folder}/${path}`);
    files[at('workflow.md')] = workflow(flow.more ?? 'variables: {}\ndecisionLog: []\nartifacts: []\n');
    files[at('workflow.graph.json')] = JSON.stringify(toGraph(flow, at), null, 2);
    for (const [id, node] of Object.entries(flow.nodes)) files[at(`steps/${id}.md`)] = toStep(id, node);
  }
  return samplePackage(
    ({ bmad }) => {
      bmad.workflows = Object.entries(listed).map(([id, folder]) => ({
        id,
        workflow: `${folder}/workflow.md`,
        graph: `${folder}/workflow.graph.json`,
      }));
    },
    { 'steps/step-01.md': undefined, 'steps/end-99.md': undefined, ...files },
  );
}

function toGraph({ nodes, edges }: NestedFlow, at: (path: string) => string) {
  const ids = Object.keys(nodes);
  const pairs = edges ?? ids.slice(1).map((to, index) => `${ids[index]} ${to}`);
  return {
    schemaVersion: '1.1',
    entryNodeId: ids[0],
    nodes: Object.entries(nodes).map(([id, node]) => ({
      id,
      type: typeOf(node),
      file: at(`steps/${id}.md`),
      agentId: node.agentId,
      ...(node.inputs ? { inputs: node.inputs } : {}),
      ...(node.outputs ? { outputs: node.outputs } : {}),
    })),
    edges: pairs.map((pair) => {
      const [from, to, label = 'next'] = pair.split(' ');
      return { from, to, label };
    }),
  };
}

function toStep(id: string, node: NestedNode): string {
  const { calls, more = '', body = `# ${id}` } = node;
  const target = calls === undefined ? '' : `subworkflow: ${calls}\n`;
  return `---\nschemaVersion: "1.1"\nnodeId: ${id}\ntype: ${typeOf(node)}\n${target}${more}---\n\n${body}\n`;
}

function typeOf({ type, calls }: NestedNode): string {
  return type ?? (calls === undefined ? 'step' : 'subworkflow');
}
