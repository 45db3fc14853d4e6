/**
 * The workflows of a package: graphs, workflow.md documents and steps, read, validated and merged. Each file is validated once,
 * however many workflows use it, so that the work is bounded by the size of the package.
 */

import { posix } from 'node:path';
import { isObject } from '@crewagent/protocol/json-object';
import { toTitleText } from '@crewagent/protocol/plain-text';
import type { NodeProof } from '@crewagent/protocol/proof';
import { type TypedInput, typedInputSchema } from '@crewagent/protocol/typed-inputs';
import {
  type WorkflowGraph,
  workflowFrontmatterSchema,
  workflowGraphSchema,
} from '@crewagent/protocol/workflow';
import { edgesByOrigin } from '../../workflow/graph.ts';
import { normaliseWorkflowState } from '../../workflow/normalise.ts';
import type { FullParse } from '../../workflow/split-frontmatter.ts';
import { printable } from '../archive/entry-rules.ts';
import { describeClassic, isClassicWorkflow } from '../archive/open-package.ts';
import type { PackageFiles } from '../archive/package-files.ts';
import type { Findings } from '../findings/findings.ts';
import {
  checkKeySpelling,
  type DocumentLocation,
  describeIssue,
  locate,
} from '../findings/schema-findings.ts';
import { createSimilarFinder } from '../findings/similar-name.ts';
import { checkGraph } from './check-graph.ts';
import { checkStep } from './check-step.ts';
import { fixMissingFile, requireFile } from './package-rules.ts';
import { checkSchema, readJson, readText, toFrontmatter } from './read-document.ts';
import { checkWrites, readProof } from './read-proof.ts';
import { createStepReader, type LocatedText, type Step, type StepReader, toBody } from './read-steps.ts';
import { addTargetFinding, resolveTarget } from './subworkflow-targets.ts';
import {
  effectiveType,
  mergeNode,
  toPackagePath,
  type Workflow,
  type WorkflowNode,
  type WorkflowSource,
} from './workflow-package.ts';

export interface WorkflowFiles extends WorkflowSource {
  /** Location of these paths in bmad.json. */
  readonly pointer: string;
  /** The name that bmad.json gives it. Without one the heading of workflow.md is its title. */
  readonly displayName?: string | undefined;
}

export interface WorkflowSources {
  readonly files: PackageFiles;
  /** Undefined if agents.json could not be read; agents are not checked then. */
  readonly agentIds: ReadonlySet<string> | undefined;
  readonly findings: Findings;
  /** The workflows that bmad.json names: what can be called by id. */
  readonly listed: readonly WorkflowSource[];
}

type LoadedGraph = Pick<LoadedWorkflow, 'graph' | 'nodes' | 'steps' | 'called'>;

/** A workflow with its texts, for checks that need them. */
export interface LoadedWorkflow extends Workflow {
  readonly document: WorkflowDocument | undefined;
  /** By node id. */
  readonly steps: ReadonlyMap<string, Step>;
  /** Files of the workflows that its nodes call. */
  readonly called: readonly WorkflowSource[];
}

interface WorkflowDocument {
  readonly text: LocatedText;
  /** Keys of its frontmatter. */
  readonly keys: readonly string[];
  readonly variables: readonly string[];
  readonly typedInputs: readonly TypedInput[];
  readonly writes: readonly string[] | undefined;
  readonly rights: 'declared' | undefined;
  readonly result: string | undefined;
}

/** All readable workflows; problems with these and the others are in the findings. */
export async function readWorkflows(
  workflows: readonly WorkflowFiles[],
  sources: WorkflowSources,
): Promise<LoadedWorkflow[]> {
  const graphs = new Map<string, LoadedGraph | undefined>();
  const documents = new Map<string, WorkflowDocument | undefined>();
  const { files, findings } = sources;
  const tryParse = createYamlBudget();
  const steps = createStepReader({ ...sources, tryParse });
  const loaded: LoadedWorkflow[] = [];
  for (const { pointer, displayName, ...workflow } of workflows) {
    const { workflowPath, graphPath } = workflow;
    if (isClassicWorkflow(workflowPath)) {
      const at = { file: 'bmad.json', pointer: `${pointer}/workflow` };
      findings.add('CLASSIC_BMAD', { ...at, ...describeClassic(`"${printable(workflowPath)}"`) });
      continue;
    }
    const hasDocument = requireFile(workflowPath, `${pointer}/workflow`, files, findings);
    const hasGraph = requireFile(graphPath, `${pointer}/graph`, files, findings);
    if (hasDocument && !documents.has(workflowPath)) {
      documents.set(workflowPath, await readWorkflowDocument(workflowPath, sources, tryParse));
    }
    if (hasGraph && !graphs.has(graphPath)) graphs.set(graphPath, await readGraph(graphPath, steps, sources));
    const found = graphs.get(graphPath);
    const document = documents.get(workflowPath);
    const title = displayName ?? headingOf(document?.text.text ?? '') ?? workflow.title;
    const { typedInputs = [], writes, rights, result } = document ?? {};
    if (found) loaded.push({ ...workflow, title, ...found, document, typedInputs, writes, rights, result });
  }
  return loaded;
}

/** The first heading of a workflow.md as a title; one with a placeholder, or one that no list could show, is none. */
function headingOf(body: string): string | undefined {
  const [, written = ''] = /^# +(.+?)(?: +#+)? *$/m.exec(body) ?? [];
  const title = toTitleText(written);
  return title === '' || title.length > 80 || title.includes('{{') ? undefined : title;
}

/** The state template. Existing templates contain blank dates and omit collections. */
async function readWorkflowDocument(
  file: string,
  { files, findings }: WorkflowSources,
  tryParse: FullParse,
): Promise<WorkflowDocument | undefined> {
  const text = await readText(files, file, findings);
  if (text === undefined) return undefined;
  const frontmatter = toFrontmatter(text, file, { expandDates: true, tryParse }, findings);
  if (!frontmatter) return undefined;
  const { value, blankDates } = normaliseWorkflowState(frontmatter.value);
  for (const path of blankDates) {
    findings.add('BLANK_DATE', {
      ...locate({ file, lineOf: frontmatter.lineOf }, path),
      message: `"${String(path.at(-1))}" is empty and counts as absent`,
      fix: 'Remove the key.',
    });
  }
  const document = { file, value, lineOf: frontmatter.lineOf };
  const fields = checkSchema(workflowFrontmatterSchema, document, findings);
  checkKeySpelling(workflowFrontmatterSchema, { ...document, value: frontmatter.value }, [], findings);
  const typedInputs = readTypedInputs(document, findings);
  checkWrites(fields.writes ?? [], document, findings);
  return {
    text: toBody(text, frontmatter.body),
    keys: Object.keys(fields),
    variables: [...Object.keys(fields.variables), ...typedInputs.map(({ name }) => name)],
    typedInputs,
    writes: fields.writes,
    rights: fields.rights,
    result: fields.result,
  };
}

async function readGraph(
  graphPath: string,
  steps: StepReader,
  { files, agentIds, findings, listed }: WorkflowSources,
): Promise<LoadedGraph | undefined> {
  const document = await readJson(files, graphPath, findings);
  if (!document) {
    // The nodes are unknown, but the steps can still be validated.
    await steps.readAll(siblingStepFiles(graphPath, files.paths));
    return undefined;
  }
  const drawn = checkSchema(workflowGraphSchema, { file: graphPath, value: document.value }, findings);
  checkGraph(drawn, graphPath, agentIds, findings);
  await steps.readAll(stepFilesOf(drawn, graphPath, { files, findings }));

  const proofs = await readProofs(drawn, steps, { files, findings, folder: posix.dirname(graphPath) });
  const outgoing = edgesByOrigin(drawn);
  const similarTo = createSimilarFinder();
  const called: LoadedWorkflow['called'][number][] = [];
  const nodes = new Map<string, WorkflowNode>();
  const stepsById = new Map<string, Step>();
  drawn.nodes.forEach((node, index) => {
    const step = steps.get(toPackagePath(node.file));
    if (!step) return;
    stepsById.set(node.id, step);
    checkStep(step, node, { edges: outgoing.get(node.id) ?? [], agentIds }, findings);
    const written = step.frontmatter.subworkflow?.trim() ?? '';
    const isCall = effectiveType(node, step.frontmatter) === 'subworkflow';
    const target =
      isCall && written !== ''
        ? resolveTarget(written, graphPath, { paths: files.paths, listed, similarTo })
        : undefined;
    if (target) addTargetFinding(target, step, findings);
    if (target?.kind === 'found') called.push(target.files);
    const subworkflow = target?.kind === 'found' ? target.files.ref : undefined;
    if (isCall && !target) {
      findings.add('SUBWORKFLOW_WITHOUT_TARGET', {
        file: graphPath,
        pointer: `/nodes/${index}`,
        message: `the node "${node.id}" names no workflow to call and runs as an ordinary step`,
        fix: 'Name the workflow to call in the step: subworkflow: ./subflows/NAME/workflow.md.',
      });
    }
    const proof = proofs.get(step.file);
    nodes.set(node.id, mergeNode(node, step.frontmatter, { agentIds, subworkflow, proof }));
  });
  const types = drawn.nodes.map((node) => ({ ...node, type: nodes.get(node.id)?.type ?? node.type }));
  return { graph: { ...drawn, nodes: types }, nodes, steps: stepsById, called };
}

/** By step file. */
async function readProofs(
  { nodes }: WorkflowGraph,
  steps: StepReader,
  sources: Parameters<typeof readProof>[1],
): Promise<Map<string, NodeProof | undefined>> {
  const proofs = new Map<string, NodeProof | undefined>();
  for (const { file } of nodes) {
    const step = steps.get(toPackagePath(file));
    if (step && !proofs.has(step.file)) proofs.set(step.file, await readProof(step, sources));
  }
  return proofs;
}

function siblingStepFiles(graphPath: string, paths: ReadonlySet<string>): string[] {
  const folder = posix.join(posix.dirname(graphPath), 'steps/');
  return [...paths].filter((path) => path.startsWith(folder) && path.endsWith('.md'));
}

function stepFilesOf(
  graph: WorkflowGraph,
  graphPath: string,
  { files, findings }: Pick<WorkflowSources, 'files' | 'findings'>,
): Set<string> {
  const present = new Set<string>();
  graph.nodes.forEach((node, index) => {
    const file = toPackagePath(node.file);
    if (files.paths.has(file)) present.add(file);
    else if (file !== '') {
      findings.add('MISSING_FILE', {
        file: graphPath,
        pointer: `/nodes/${index}/file`,
        message: `the step file "${printable(file)}" of node "${node.id}" is not in the package`,
        fix: fixMissingFile(file, files.paths),
      });
    }
  });
  return present;
}

/** More questions than anybody would answer. */
const MAX_INPUTS = 100;

/**
 * The `typedInputs` of a workflow.md. The key is an extension of format 1.1, which allows other keys: an invalid input is ignored
 * with a warning, and never rejects a package.
 */
function readTypedInputs(location: DocumentLocation, findings: Findings): TypedInput[] {
  const { typedInputs: written = [] } = location.value as { readonly typedInputs?: unknown };
  const list: readonly unknown[] = Array.isArray(written) ? written : [written];
  const inputs = new Map<string, TypedInput>();
  list.slice(0, MAX_INPUTS).forEach((entry, index) => {
    const value = withChoiceObjects(entry);
    const parsed = typedInputSchema.safeParse(value);
    const [first] = parsed.error?.issues ?? [];
    const issue = parsed.success
      ? findConflict(parsed.data, inputs)
      : first && describeIssue(first, { file: location.file, value, schema: typedInputSchema });
    if (parsed.success && issue === undefined) inputs.set(parsed.data.name, parsed.data);
    else
      findings.add('TYPED_INPUT_INVALID', {
        ...locate(location, ['typedInputs', index]),
        message: `this input is ignored: ${issue?.message ?? ''}`,
        fix: issue?.fix ?? '',
      });
  });
  return [...inputs.values()];
}

/** A choice may be written as a word: it is its value and its label. */
function withChoiceObjects(entry: unknown): unknown {
  if (!isObject(entry) || !Array.isArray(entry.choices)) return entry;
  const choices = entry.choices.map((choice: unknown) =>
    typeof choice === 'string' || typeof choice === 'number'
      ? { value: `${choice}`, label: `${choice}` }
      : choice,
  );
  return { ...entry, choices };
}

function findConflict(
  { name, type, choices = [] }: TypedInput,
  others: ReadonlyMap<string, TypedInput>,
): { message: string; fix: string } | undefined {
  if (others.has(name))
    return { message: `the name "${name}" is used twice`, fix: 'Give each input its own name.' };
  const isChoice = type === 'choice' || type === 'multi';
  if (!isChoice || choices.length > 0) return undefined;
  return { message: `"${name}" has no choices`, fix: 'Add a list, such as choices: [small, large].' };
}

const FILE_CHARS = 16 * 1024;
const PACKAGE_CHARS = 256 * 1024;
/** More than twice the time for a package that uses all characters, unless its YAML is broken in thousands of places. */
const PACKAGE_CPU_MS = 2_000;

/**
 * Limits the work of one package in the full YAML parser. Plain frontmatter is cheap and not counted; other YAML can be slow on
 * purpose, so its length is limited per file and per package, and so is the time. `cpuMs`: processor time of this process, so that
 * a busy machine does not reject a package that an idle one accepts.
 */
export function createYamlBudget(cpuMs: () => number = processCpuMs): FullParse {
  let chars = PACKAGE_CHARS;
  let ms = PACKAGE_CPU_MS;
  return (length, parse) => {
    chars -= length;
    if (length > FILE_CHARS || chars < 0) return 'too-long';
    if (ms <= 0) return 'too-slow';
    const start = cpuMs();
    const parsed = parse();
    ms -= cpuMs() - start;
    return parsed;
  };
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
