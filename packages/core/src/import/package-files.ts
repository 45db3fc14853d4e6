/**
 * The files of a converted package: manifest, agents, and for each workflow its document, graph, steps and side files.
 * Deterministic. Pure.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { TypedInput } from '@crewagent/protocol/typed-inputs';
import { unlessEmpty } from '../base/optional-fields.ts';
import type { ConvertedAgent } from './convert-agents.ts';
import { DISCUSSION, generatedPath, toGeneratedText } from './source/generated-documents.ts';
import { clip } from './source/import-notes.ts';
import { type ImportScope, isLicence, namesInBraces } from './source/import-scope.ts';
import { type NodeDraft, RESERVED_KEYS, type WorkflowDraft } from './source/package-draft.ts';
import { folderOf } from './source/recognise-source.ts';
import { findMentions, resolveReference } from './source/resolve-reference.ts';
import { type Fields, toFrontmatterBlock } from './source/source-yaml.ts';

export type PackageContents = Map<string, string | Buffer>;

export interface PackageDraft {
  readonly name: string;
  readonly description: string | undefined;
  readonly workflows: readonly WorkflowDraft[];
  readonly agents: readonly ConvertedAgent[];
}

export function toPackageFiles(draft: PackageDraft, scope: ImportScope): PackageContents {
  const files: PackageContents = new Map();
  const { workflows } = draft;
  files.set('bmad.json', json(toManifest(draft)));
  files.set('agents.json', json({ schemaVersion: '1.1', agents: toAgents(draft) }));
  for (const workflow of workflows) {
    const owner = ownerOf(workflow.id, draft.agents);
    files.set(`${workflow.folder}workflow.md`, toWorkflowDocument(workflow, scope));
    files.set(`${workflow.folder}workflow.graph.json`, json(toGraph(workflow, owner)));
    for (const node of workflow.nodes) files.set(node.file, toStep(node, workflow, scope));
  }
  const copied = [...workflows.flatMap((workflow) => [...workflow.files]), ...scope.assets];
  for (const [path, source] of copied) if (!files.has(path)) files.set(path, toCopy(source, path, scope));
  for (const document of scope.generated)
    files.set(generatedPath(document), toGeneratedText(document, scope.config));
  const licence = findLicence(scope);
  if (licence !== undefined) files.set('LICENSE', scope.tree.bytes(licence) ?? '');
  return files;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function toManifest({ name, description, workflows }: PackageDraft) {
  const [entry] = workflows;
  const folder = entry?.folder ?? '';
  return {
    schemaVersion: '1.1',
    name,
    version: '0.1.0',
    description,
    entry: { workflow: `${folder}workflow.md`, graph: `${folder}workflow.graph.json`, agents: 'agents.json' },
    workflows: workflows.map((workflow) => ({
      id: workflow.id,
      displayName: workflow.title,
      description: workflow.description,
      workflow: `${workflow.folder}workflow.md`,
      graph: `${workflow.folder}workflow.graph.json`,
      tags: [...new Set([workflow.origin.module.code, workflow.origin.kind])],
    })),
  };
}

function toAgents({ agents, name, description, workflows }: PackageDraft): AgentDefinition[] {
  if (agents.length > 0) return agents.map(({ agent }) => agent);
  return [
    {
      id: 'assistant',
      metadata: { name: 'Assistant', title: 'Workflow assistant', icon: '🤖' },
      persona: {
        role: description ?? `Runs the workflows of ${name}.`,
        identity: 'Knows the workflow that is running and the files of the project.',
        communication_style: 'Clear and brief.',
        principles: ['Follow the workflow as it is written.', 'Ask when something is unclear.'],
      },
      menu: unlessEmpty(
        workflows
          .filter(({ origin }) => origin.kind === 'command')
          .map(({ id, title, description: text }) => ({
            trigger: id,
            description: clip(text ?? title, 200),
            workflow: id,
          })),
      ),
    },
  ];
}

/** The only agent whose menu starts the workflow; with several, the agent that starts the run stays active. */
function ownerOf(workflow: string, agents: readonly ConvertedAgent[]): string | undefined {
  const owners = agents.filter(({ workflows }) => workflows.includes(workflow));
  return owners.length === 1 ? owners[0]?.agent.id : undefined;
}

function toWorkflowDocument(workflow: WorkflowDraft, scope: ImportScope): string {
  const { variables, inputs } = neededValues(workflow, scope);
  const fields: Fields = {
    ...workflow.fields,
    schemaVersion: '1.1',
    workflowType: workflow.id,
    currentNodeId: '',
    stepsCompleted: [],
    project_name: '',
    user_name: '',
    date: '',
    variables,
    decisionLog: [],
    artifacts: [],
    ...(inputs.length > 0 ? { typedInputs: inputs } : {}),
  };
  return (
    toFrontmatterBlock(workflow.yaml, fields) +
    scope.customization.inline(workflow.body, workflow.origin.folder)
  );
}

/** Configured values that the workflow's texts use in braces, and their questions. */
function neededValues(
  { sourceFiles, files, variables, id, origin }: WorkflowDraft,
  { tree, config, customization }: ImportScope,
): { variables: Fields; inputs: TypedInput[] } {
  const texts = [...sourceFiles, ...files.values()].filter((file) => /\.(?:md|xml|ya?ml|toml)$/.test(file));
  const customized = customization.variablesOf(origin.folder);
  const text = texts.map((file) => tree.text(file) ?? '').join('\n');
  const names = withDefaultsOf(new Set([...namesInBraces(text), ...plainNames(text, config)]), config.inputs);
  const roots = ['installed_path', 'workflow_path', 'skill-root'].filter((name) => names.has(name));
  return {
    variables: {
      ...Object.fromEntries(Object.entries(config.values).filter(([name]) => names.has(name))),
      ...Object.fromEntries(roots.map((name) => [name, `@pkg/workflows/${id}`])),
      ...(names.has('skill-name') ? { 'skill-name': id } : {}),
      ...Object.fromEntries(Object.entries(customized).filter(([name]) => names.has(name))),
      ...variables,
    },
    inputs: config.inputs.filter(({ name }) => names.has(name)),
  };
}

/** Configured names in the text without braces: "resolve planning_artifacts". A name of one word may be any word. */
function plainNames(text: string, { values, inputs }: ImportScope['config']): string[] {
  const words = new Set(text.match(/\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g));
  return [...Object.keys(values), ...inputs.map(({ name }) => name)].filter((name) => words.has(name));
}

/** Adds the names that defaults of needed questions refer to, at any depth. */
function withDefaultsOf(names: ReadonlySet<string>, inputs: readonly TypedInput[]): ReadonlySet<string> {
  const needed = new Set(names);
  // A Set visits entries that are added during the iteration.
  for (const name of needed) {
    const written = inputs.find((input) => input.name === name)?.default;
    if (typeof written === 'string') for (const other of namesInBraces(written)) needed.add(other);
  }
  return needed;
}

function toGraph({ entryNodeId, nodes, edges, origin }: WorkflowDraft, agentId: string | undefined) {
  return {
    schemaVersion: '1.1',
    entryNodeId,
    nodes: nodes.map(({ id, type, file, title, description, outputs, agentId: own }) => ({
      id,
      type,
      file,
      title,
      description,
      agentId: own ?? agentId,
      outputs: unlessEmpty(outputs),
    })),
    edges: edges.map(({ from, to, label, isDefault, conditionText }) => ({
      from,
      to,
      label,
      isDefault: isDefault || undefined,
      conditionText,
    })),
    metadata: { importedFrom: origin.file, kind: origin.kind },
  };
}

function toStep(node: NodeDraft, workflow: WorkflowDraft, scope: ImportScope): string {
  const own = workflow.edges.filter(({ from }) => from === node.id);
  const cleared = Object.fromEntries(RESERVED_KEYS.map((key) => [key, undefined]));
  const fields: Fields = {
    ...node.fields,
    schemaVersion: '1.1',
    nodeId: node.id,
    ...cleared,
    type: node.type,
    title: node.title,
    outputs: unlessEmpty(node.outputs),
    setsVariables: unlessEmpty(node.setsVariables),
    subworkflow: node.subworkflow,
    waits: node.waits,
    produces: node.produces,
    ...toRoster(node, workflow, scope),
    transitions: unlessEmpty(own.map(({ to, label }) => ({ to, label }))),
  };
  return (
    toFrontmatterBlock(node.yaml, fields) + scope.customization.inline(node.body, workflow.origin.folder)
  );
}

/** A step for several voices, or with a menu item that starts a discussion of them. */
function toRoster(node: NodeDraft, { id, origin }: WorkflowDraft, { notes }: ImportScope): Fields {
  const mention = lineWith(`${node.yaml}\n${node.body}`, DISCUSSION);
  if (mention === undefined) return {};
  notes.add(
    'roster of agents',
    /agent-manifest/i.test(mention) ? 'exact' : 'inferred',
    { file: origin.file, text: mention, workflow: id },
    `${node.id} gets the agents of the package, to speak as several of them.`,
  );
  return { roster: true };
}

function lineWith(text: string, pattern: RegExp): string | undefined {
  const at = text.search(pattern);
  if (at === -1) return undefined;
  const end = text.indexOf('\n', at);
  return text.slice(text.lastIndexOf('\n', at) + 1, end === -1 ? undefined : end).trim();
}

/** Copies a side file; in shared assets, source paths become package paths. */
function toCopy(source: string, path: string, scope: ImportScope): string | Buffer {
  const bytes = scope.tree.bytes(source) ?? Buffer.alloc(0);
  if (!path.startsWith('assets/'))
    return /\.md$/.test(path) ? scope.customization.inline(scope.tree.text(source) ?? '', source) : bytes;
  const text = scope.tree.text(source);
  if (text === undefined) return bytes;
  const references = scope.referencesOf(source, folderOf(source), {});
  let rewritten = text;
  for (const written of new Set(findMentions(text, 0).map((mention) => mention.written))) {
    if (!/_?bmad\//.test(written)) continue;
    const found = resolveReference(written, references);
    if (found.kind === 'file')
      rewritten = rewritten.replaceAll(written, `@pkg/${scope.toPackagePath(found.path)}`);
  }
  return rewritten;
}

export function findLicence({ tree, modules }: Pick<ImportScope, 'tree' | 'modules'>): string | undefined {
  const folders = new Set(['', ...modules.map(({ root }) => root)]);
  return tree.paths.find((path) => isLicence(path) && folders.has(folderOf(path)));
}
