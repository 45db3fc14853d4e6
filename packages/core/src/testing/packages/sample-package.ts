/**
 * A small valid package as a map of paths to texts, to be modified by tests.
 */
import documents from './sample-package.json' with { type: 'json' };

export type FileTree = Record<string, string>;

export interface SampleDocuments {
  bmad: Record<string, unknown>;
  agents: { schemaVersion: string; agents: Record<string, unknown>[] };
  graph: {
    schemaVersion: string;
    entryNodeId: string;
    nodes: Record<string, unknown>[];
    edges: Record<string, unknown>[];
  };
}

/** Changes the documents before they are written. */
export type Bend = (documents: SampleDocuments) => void;
/** Files to add or replace; undefined removes. */
export type Files = Record<string, string | undefined>;

export function sampleDocuments(): SampleDocuments {
  return structuredClone(documents);
}

export function step(nodeId: string, type = 'step', more = ''): string {
  return `---\nschemaVersion: "1.1"\nnodeId: ${nodeId}\ntype: ${type}\n${more}---\n\n# ${nodeId}\n`;
}

export function workflow(more = ''): string {
  return `---\nschemaVersion: "1.1"\nworkflowType: sample\ncurrentNodeId: ""\nstepsCompleted: []\n${more}---\n\n## Sample\n`;
}

/** The package as files; `bend` changes the documents first, `files` adds or replaces files (undefined removes). */
export function samplePackage(bend: Bend = () => undefined, files: Files = {}): FileTree {
  const documents = sampleDocuments();
  bend(documents);
  const tree: Record<string, string | undefined> = {
    'bmad.json': JSON.stringify(documents.bmad, null, 2),
    'agents.json': JSON.stringify(documents.agents, null, 2),
    'workflow.graph.json': JSON.stringify(documents.graph, null, 2),
    'workflow.md': workflow(),
    'steps/step-01.md': step('step-01'),
    'steps/end-99.md': step('end-99', 'end'),
    ...files,
  };
  return Object.fromEntries(
    Object.entries(tree).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** The first item of a list that must not be empty. */
export function first<T>(list: readonly T[]): T {
  const [item] = list;
  if (item === undefined) throw new Error('the sample has no such item');
  return item;
}
