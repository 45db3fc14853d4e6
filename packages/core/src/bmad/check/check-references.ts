/**
 * Runs `checkText` on every text of a package, with the files, variables and edges the package defines.
 */
import { posix } from 'node:path';
import type { AgentDefinition, AgentsDocument } from '@crewagent/protocol/agents';
import { stepFrontmatterSchema, workflowFrontmatterSchema } from '@crewagent/protocol/workflow';
import { edgesByOrigin } from '../../workflow/graph.ts';
import { DamagedFile, foldersOf, type PackageFiles } from '../archive/package-files.ts';
import type { Findings } from '../findings/findings.ts';
import { createSimilarFinder, type FindSimilar } from '../findings/similar-name.ts';
import { checkText, type PackageText, type TextView } from './check-texts.ts';
import { addDamaged, readBytes } from './read-document.ts';
import type { LocatedText, Step } from './read-steps.ts';
import type { LoadedWorkflow } from './read-workflows.ts';
import { toPackagePath } from './workflow-package.ts';

interface References {
  readonly files: PackageFiles;
  readonly workflows: readonly LoadedWorkflow[];
  readonly agents: { readonly file: string; readonly document: AgentsDocument } | undefined;
  readonly assetsDir: string;
}

/** Set by the runtime in every run. */
const RUNTIME_VARIABLES = new Set([
  ...Object.keys(workflowFrontmatterSchema.shape),
  'project-root',
  'package-root',
  'state-root',
  'artifacts-root',
  'communication_language',
  'document_output_language',
]);
const STEP_FIELDS = new Set(Object.keys(stepFrontmatterSchema.shape));

/** Never sent to models; they may name files anywhere. */
const HUMAN_ONLY = new Set(['readme.md', 'changelog.md', 'license.md', 'import-report.md']);

export async function checkReferences(references: References, findings: Findings): Promise<void> {
  const { files, workflows, agents, assetsDir } = references;
  const view = {
    paths: files.paths,
    folders: foldersOf(files.paths),
    bases: ['', toPackagePath(assetsDir)],
    findSimilar: createSimilarFinder(),
  };
  // A manifest may list one graph and one document many times.
  const graphs = distinctBy(workflows, ({ graph }) => graph);
  const documents = distinctBy(workflows, ({ workflowPath }) => workflowPath);
  const ofSteps = new Map(graphs.map(({ graph, steps }) => [graph, variablesOf(steps)]));
  const variablesIn = ({ document, graph }: LoadedWorkflow): TextView['variables'] => [
    new Set(document?.variables),
    ofSteps.get(graph) ?? new Set(),
    RUNTIME_VARIABLES,
  ];
  const ofDocuments = documents.flatMap(({ document }) => document?.variables ?? []);
  const stepKeys = graphs.flatMap(({ steps }) =>
    [...steps.values()].flatMap(({ frontmatter }) => Object.keys(frontmatter)),
  );
  const allNames = new Set([
    ...ofDocuments,
    ...stepKeys,
    ...[...ofSteps.values()].flatMap((names) => [...names]),
  ]);
  checkConditions(graphs, allNames, view.findSimilar, findings);
  const checked = new Set<string>();
  for (const workflow of documents)
    checkDocument(workflow, { ...view, variables: variablesIn(workflow) }, checked, findings);
  for (const workflow of graphs)
    checkSteps(workflow, { ...view, variables: variablesIn(workflow) }, checked, findings);
  const variables = [allNames, RUNTIME_VARIABLES];
  for (const text of agents ? textsOf(agents) : []) checkText(text, { ...view, variables }, findings);
  for (const file of files.paths) {
    if (!file.endsWith('.md') || checked.has(file) || HUMAN_ONLY.has(file.toLowerCase())) continue;
    const bytes = await readBytes(files, file);
    if (bytes instanceof DamagedFile) {
      addDamaged(bytes, file, findings);
      continue;
    }
    const text = bytes.toString('utf8');
    // After an error a graph may have fewer nodes than its author wrote.
    if (!findings.hasErrors && UNUSED_STEP.test(text))
      findings.add('NODE_UNREACHABLE', {
        file,
        message: 'no graph has a node with this step file',
        fix: `Add a node with "file": "${file.slice(0, 120)}" and an edge to it to the graph, or remove the file.`,
      });
    const folders = workflows.map(({ workflowPath }) => posix.dirname(workflowPath));
    const bases = [...view.bases, ...new Set(folders)];
    checkText({ file, text }, { ...view, bases, variables, isTemplate: true }, findings);
  }
}

/** A step file of the format, with its frontmatter. */
const UNUSED_STEP = /^\uFEFF?---\r?\n(?:[^\n]{0,200}\n){0,10}?nodeId:/;

/** A condition on a variable that nothing sets is never true. Variables of a caller count, and what a called workflow returns. */
function checkConditions(
  graphs: readonly LoadedWorkflow[],
  names: ReadonlySet<string>,
  findSimilar: FindSimilar,
  findings: Findings,
): void {
  const known = new Set([...names, ...graphs.flatMap(({ graph }) => graph.nodes.map(({ id }) => id))]);
  for (const { graph, graphPath } of graphs)
    for (const [index, { conditionExpr }] of graph.edges.entries()) {
      if (conditionExpr === undefined) continue;
      for (const [, name = ''] of JSON.stringify(conditionExpr).matchAll(CONDITION_VARIABLE)) {
        if (known.has(name) || RUNTIME_VARIABLES.has(name)) continue;
        const similar = findSimilar(name, known);
        // Any other name may be one that a model judges by what it knows.
        if (similar === undefined) continue;
        findings.add('VARIABLE_UNKNOWN', {
          file: graphPath,
          pointer: `/edges/${index}`,
          message: `the condition compares "${name.slice(0, 80)}", which nothing sets`,
          fix: `Did you mean "${similar}"?`,
        });
      }
    }
}

const CONDITION_VARIABLE = /"var":\[?"variables\.([A-Za-z_][\w-]*)/g;

type WorkflowView = Omit<TextView, 'neighbours' | 'steps'>;

function checkDocument(
  { workflowPath, document }: LoadedWorkflow,
  view: WorkflowView,
  checked: Set<string>,
  findings: Findings,
): void {
  if (document && !checked.has(workflowPath)) {
    const { text, keys } = document;
    checkText(
      { file: workflowPath, ...toPackageText(text) },
      { ...view, bases: basesOf(workflowPath, view), variables: [new Set(keys), ...view.variables] },
      findings,
    );
  }
  checked.add(workflowPath);
}

function checkSteps(
  workflow: LoadedWorkflow,
  view: WorkflowView,
  checked: Set<string>,
  findings: Findings,
): void {
  const { workflowPath, graph, steps } = workflow;
  const bases = basesOf(workflowPath, view);
  const fileOf = new Map(graph.nodes.map(({ id, file }) => [id, toPackagePath(file)]));
  const stepFiles = new Set(fileOf.values());
  const neighbours = neighboursOf(workflow, fileOf);
  for (const step of steps.values()) {
    if (checked.has(step.file)) continue;
    checked.add(step.file);
    const { keys, values } = toKeys(step);
    const stepView = {
      ...view,
      bases,
      variables: [new Set(keys), ...view.variables],
      steps: stepFiles,
      neighbours: neighbours.get(step.file) ?? new Set(),
    };
    for (const text of [...values, toPackageText(step.body)])
      checkText({ file: step.file, ...text }, stepView, findings);
  }
}

function basesOf(workflowPath: string, { bases }: WorkflowView): string[] {
  return [posix.dirname(workflowPath), ...bases];
}

type NodeFiles = ReadonlyMap<string, string>;

/** Edges per decision; without a limit a hostile graph could multiply its edges. */
const MAX_BRANCHES = 50;

/** Step file → files of the nodes it shares an edge with, looking through decisions and merges. */
function neighboursOf({ graph }: LoadedWorkflow, fileOf: NodeFiles): Map<string, Set<string>> {
  const outgoing = edgesByOrigin(graph);
  const types = new Map(graph.nodes.map(({ id, type }) => [id, type]));
  const joined = new Map([...fileOf.values()].map((file) => [file, new Set([file])]));
  for (const { id } of graph.nodes) {
    const from = fileOf.get(id) ?? '';
    const edges = (outgoing.get(id) ?? []).flatMap((edge) => {
      const type = types.get(edge.to);
      const isPassed = type === 'decision' || type === 'merge';
      return [edge, ...(isPassed ? (outgoing.get(edge.to) ?? []).slice(0, MAX_BRANCHES) : [])];
    });
    for (const { to } of edges) {
      const file = fileOf.get(to);
      if (file === undefined) continue;
      joined.get(from)?.add(file);
      joined.get(file)?.add(from);
    }
  }
  return joined;
}

function toPackageText({ text, firstLine }: LocatedText): Omit<PackageText, 'file'> {
  return { text, firstLine: () => firstLine };
}

/** Keys of a step beyond the format, and the texts in them and in its file lists. */
function toKeys({ frontmatter, lineOf }: Step): { keys: string[]; values: Omit<PackageText, 'file'>[] } {
  const own = Object.entries(frontmatter).filter(([key]) => !STEP_FIELDS.has(key));
  const paths = (['inputs', 'outputs'] as const).flatMap((key) =>
    frontmatter[key].map((text, index) => ({
      // A declared file is relative to the project unless it says otherwise.
      text: text.startsWith('@pkg/') ? text : text.replace(/^\.{1,2}\//, ''),
      path: [key, index],
    })),
  );
  const texts = own.flatMap(([key, value]) =>
    typeof value === 'string' ? [{ text: value, path: [key] }] : [],
  );
  return {
    keys: Object.keys(frontmatter),
    values: [...paths, ...texts]
      .filter(({ text }) => /[{.]/.test(text))
      .map(({ text, path }) => ({ text, firstLine: () => lineOf(path) })),
  };
}

function variablesOf(steps: LoadedWorkflow['steps']): ReadonlySet<string> {
  return new Set([...steps.values()].flatMap(({ frontmatter }) => frontmatter.setsVariables));
}

/** The first one of each key. */
function distinctBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Item[] {
  const seen = new Set<Key>();
  return items.filter((item) => !seen.has(keyOf(item)) && seen.add(keyOf(item)));
}

function textsOf({ file, document }: { file: string; document: AgentsDocument }): PackageText[] {
  return document.agents.flatMap((agent: AgentDefinition, index) => {
    const at = (path: string): string => `/agents/${index}/${path}`;
    const texts: [string, string | undefined][] = [
      ['systemPrompt', agent.systemPrompt],
      ['userPromptTemplate', agent.userPromptTemplate],
      ...(agent.critical_actions ?? []).map((text, i): [string, string] => [`critical_actions/${i}`, text]),
      ...(agent.prompts ?? []).map(({ content }, i): [string, string] => [`prompts/${i}/content`, content]),
      ...(agent.menu ?? []).flatMap((item, i): [string, string | undefined][] => [
        [`menu/${i}/action`, item.action],
        [`menu/${i}/description`, item.description],
      ]),
    ];
    return texts.flatMap(([path, text]) => (text ? [{ file, text, pointer: at(path) }] : []));
  });
}
