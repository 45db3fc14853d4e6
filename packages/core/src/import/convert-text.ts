/**
 * Converts workflows that are a single text: classic `workflow.yaml` with instructions, and skills without step files. The text
 * is split into its steps; without steps it becomes one node. Text outside of the steps goes to workflow.md.
 */
import { posix } from 'node:path';
import { toDigest } from './classic-digest.ts';
import { clip } from './import-notes.ts';
import { type ImportScope, type ReferenceOwner, toSideFiles, withReferences } from './import-scope.ts';
import { RUNTIME_VALUES } from './module-questions.ts';
import {
  type EdgeDraft,
  headingOf,
  type NodeDraft,
  toId,
  toUniqueId,
  type WorkflowDraft,
  withLabels,
} from './package-draft.ts';
import type { SourceWorkflow } from './recognise-source.ts';
import { expandKeys, resolveReference } from './resolve-reference.ts';
import { type Fields, parseSourceDocument, parseSourceYaml, textField } from './source-yaml.ts';
import { END_ID, toEndNode, toPlainNode, withEnd } from './steps/end-nodes.ts';
import { EXIT_ID, findCalls, type SegmentNode, toSegmentEdges } from './steps/segment-edges.ts';
import { byNumber, type Segment, splitSteps } from './steps/split-steps.ts';
import { findOutputs, toOutputPath } from './steps/step-outputs.ts';
import { toFilledOutputs } from './steps/step-produces.ts';
import { findTemplate, type ProofSource, withProof } from './steps/step-proof.ts';

interface TextSource {
  readonly workflow: SourceWorkflow;
  readonly id: string;
  readonly folder: string;
  readonly fields: Fields;
  /** The file with the text. */
  readonly file: string;
  readonly text: string;
  readonly textLine: number;
  readonly owner: ReferenceOwner;
}

export function convertSkill(workflow: SourceWorkflow, id: string, scope: ImportScope): WorkflowDraft {
  const document = parseSourceDocument(scope.tree.text(workflow.file) ?? '', workflow.file, scope.notes);
  const source = {
    ...toSource(workflow, id, document.fields),
    file: workflow.file,
    text: document.body,
    textLine: document.bodyLine,
  };
  const split = splitSteps(document.body);
  const title = headingOf(document.body, 1) ?? id;
  const body = split ? split.rest : `# ${title}\n`;
  const steps = split?.steps ?? [{ number: '', title, text: document.body, line: 0, attributes: {} }];
  return convertText(source, { title, yaml: document.yaml, body, steps, variables: {} }, scope);
}

export function convertClassic(workflow: SourceWorkflow, id: string, scope: ImportScope): WorkflowDraft {
  const { tree, notes } = scope;
  const fields = parseSourceYaml(tree.text(workflow.file) ?? '', workflow.file, notes)?.fields ?? {};
  const base = toSource(workflow, id, fields);
  const file = findInstructions(workflow, fields, scope);
  const text = file === undefined ? '' : (tree.text(file) ?? '');
  if (file === undefined)
    notes.add(
      'instructions',
      'dropped',
      { file: workflow.file, workflow: id },
      'The instructions are not in the source.',
    );
  const source = { ...base, file: file ?? workflow.file, text, textLine: 0 };
  const title = headingOf(text, 1) ?? textField(fields, 'name') ?? id;
  const split = splitSteps(text);
  const steps = split?.steps ?? [{ number: '', title, text, line: 0, attributes: {} }];
  const body = [
    `# ${title}\n\n${textField(fields, 'description') ?? ''}\n`,
    toDigest(text, fields),
    split?.rest ?? '',
  ].join('\n');
  const variables = toVariables(fields, source, scope);
  return convertText(source, { title, yaml: '', body, steps, variables }, scope);
}

function toSource(workflow: SourceWorkflow, id: string, fields: Fields) {
  const owner = { folder: workflow.folder, keys: pathKeys(fields), isStep: () => false };
  return { workflow, id, fields, folder: `workflows/${id}/`, owner };
}

function pathKeys(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([key, value]) => !['installed_path', 'config_source'].includes(key) && !isConfigured(value),
    ),
  );
}

/** A value that is not in workflow.yaml itself: an answer of the installation, or made by the runtime, as a date is. */
function isConfigured(value: unknown): boolean {
  return typeof value === 'string' && (value.startsWith('{config_source}') || value === 'system-generated');
}

function findInstructions(workflow: SourceWorkflow, fields: Fields, scope: ImportScope): string | undefined {
  const { tree } = scope;
  const written = textField(fields, 'instructions');
  const found =
    written &&
    resolveReference(written, scope.referencesOf(workflow.file, workflow.folder, pathKeys(fields)));
  if (found && found.kind === 'file') return found.path;
  return ['instructions.md', 'instructions.xml']
    .map((name) => workflow.folder + name)
    .find((path) => tree.has(path));
}

const NON_VARIABLES: ReadonlySet<string> = new Set([
  'name',
  'description',
  'author',
  'instructions',
  'installed_path',
  'config_source',
  'date',
]);

/** Values of workflow.yaml: configured ones by name, paths as package paths, others unchanged. */
function toVariables(
  fields: Fields,
  { workflow, folder }: Pick<TextSource, 'workflow' | 'folder'>,
  scope: ImportScope,
): Fields {
  const { values } = scope.config;
  const keys = { ...values, ...pathKeys(fields) };
  const references = scope.referencesOf(workflow.file, workflow.folder, pathKeys(fields));
  const entries = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (typeof value !== 'string' || NON_VARIABLES.has(name) || RUNTIME_VALUES.has(name)) return [];
    const configured = /^\{config_source\}:([\w-]+)$/.exec(value)?.[1];
    if (configured !== undefined) return [[name, values[configured] ?? '']];
    const found = resolveReference(value, references);
    if (found.kind === 'file') return [[name, `@pkg/${scope.toPackagePath(found.path)}`]];
    if (found.kind === 'missing')
      scope.notes.addUnresolved(value, { file: workflow.file }, `${found.message}.`);
    const path = expandKeys(value, configuredKeys(keys, values)).replaceAll('{project-root}/', '');
    return [[name, path.replaceAll('{installed_path}', `@pkg/${folder.replace(/\/$/, '')}`)]];
  });
  return { ...Object.fromEntries(entries), installed_path: `@pkg/${folder.replace(/\/$/, '')}` };
}

/** Replaces `"{config_source}:name"` by the configured value. */
function configuredKeys(keys: Fields, values: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(
    Object.entries(keys).map(([key, value]) => {
      const name = typeof value === 'string' ? /^\{config_source\}:([\w-]+)$/.exec(value)?.[1] : undefined;
      return [key, name === undefined ? value : (values[name] ?? '')];
    }),
  );
}

interface TextParts {
  readonly title: string;
  readonly yaml: string;
  readonly body: string;
  readonly steps: readonly Segment[];
  readonly variables: Fields;
}

function convertText(
  source: TextSource,
  { title, yaml, body, steps, variables }: TextParts,
  scope: ImportScope,
): WorkflowDraft {
  const { workflow, id, folder, file, textLine } = source;
  const usedIds = new Set<string>();
  const segments = [...steps].sort(byNumber).map((segment): SegmentNode => {
    const slug = toId(segment.title.toLowerCase())
      .slice(0, 40)
      .replace(/[-.]+$/, '');
    const nodeId = toUniqueId(segment.number === '' ? slug : toId(`step-${segment.number}-${slug}`), usedIds);
    usedIds.add(nodeId);
    return { id: nodeId, segment, file, line: textLine + segment.line + 1 };
  });
  const found = toSegmentEdges(segments);
  const called = withCalls(segments, found.edges, source, scope);
  const closed = withEnd(segments, called.edges, folder);
  const edges = withLabels(closed.edges);
  const nodes = withProof(
    segments.map((node) => toNode(node, edges, source, scope)),
    { workflow, id, edges },
    scope,
  );
  const extra = [...called.nodes, ...closed.nodes, ...(found.hasExit ? [toEndNode(EXIT_ID, folder)] : [])];
  const document = { fields: {}, yaml: '', body, bodyLine: 0, file };
  const files = toSideFiles(workflow, folder, scope);
  if (workflow.kind === 'classic') {
    files.delete(folder + posix.basename(file));
    files.set(`${folder}workflow.yaml`, workflow.file);
  }
  scope.notes.add('workflow', 'exact', { file: workflow.file, workflow: id }, describeSplit(steps));
  return {
    id,
    title,
    description: textField(source.fields, 'description'),
    kind: workflow.kind,
    module: workflow.module.code,
    source: workflow.file,
    folder,
    yaml,
    fields: withReferences(scope.rewriteReferences(document, source.owner)),
    body,
    entryNodeId: segments[0]?.id ?? '',
    nodes: [...nodes, ...extra],
    edges,
    droppedMoves: found.dropped,
    variables,
    sourceFiles: [...new Set([workflow.file, file])],
    files,
  };
}

function describeSplit(steps: readonly Segment[]): string {
  return steps.length > 1 ? `Split at its ${steps.length} steps.` : 'One node; the text has no steps.';
}

function toNode(
  { id, segment, file, line }: SegmentNode,
  edges: readonly EdgeDraft[],
  source: TextSource,
  scope: ImportScope,
): ProofSource {
  const { owner, folder, id: workflow } = source;
  const document = { fields: {}, yaml: '', body: segment.text, bodyLine: line - 1, file };
  const { outputs, setsVariables } = findTemplateOutputs(segment, source, scope);
  const prose = findOutputs({ ...document, fields: stringFields(source.fields) }, (name) =>
    scope.isConfigured(name),
  );
  const all = [...new Set([...outputs, ...prose.map(({ path }) => path)])];
  for (const path of outputs) scope.notes.add('output', 'exact', { file, line, workflow }, path);
  for (const { path, line: at, text } of prose)
    if (!outputs.includes(path))
      scope.notes.add('output', 'inferred', { file, line: at, text, workflow }, path);
  const asks = segment.text.match(/<ask[\s>]/g)?.length ?? 0;
  if (asks > 0)
    scope.notes.add(
      'ask',
      'exact',
      { file, line, workflow },
      `${asks} questions to the person stay in the text of ${id}.`,
    );
  const node: NodeDraft = {
    id,
    type: edges.some(({ from }) => from === id) ? 'step' : 'end',
    file: `${folder}steps/${id}.md`,
    title: clip(segment.title, 200),
    outputs: all,
    setsVariables,
    yaml: '',
    fields: withReferences(scope.rewriteReferences(document, owner)),
    body: segment.text,
  };
  const references = scope.referencesOf(file, owner.folder, owner.keys);
  const filled = toFilledOutputs(
    segment.text,
    outputs,
    findTemplate(source.fields.template, references, scope),
  );
  const written = [...filled, ...prose.filter(({ path }) => !outputs.includes(path))];
  return { node, file, bodyLine: document.bodyLine, outputs: written, references };
}

function stringFields(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => typeof value === 'string' && !isConfigured(value)),
  );
}

/** `<template-output file="…">section` is a part of the output file; `name = value` is a variable. */
function findTemplateOutputs(
  { text }: Segment,
  { fields }: TextSource,
  scope: ImportScope,
): { outputs: string[]; setsVariables: string[] } {
  const outputs = new Set<string>();
  const setsVariables = new Set<string>();
  const keys = stringFields(fields);
  for (const [, attributes = '', content = ''] of text.matchAll(
    /<template-output([^>]{0,500})>([^<]{0,500})/g,
  )) {
    const [, assigned] = /^\s*([A-Za-z_]\w*)\s*=/.exec(content) ?? [];
    const written =
      /file\s*=\s*"([^"]{1,300})"/.exec(attributes)?.[1] ?? textField(fields, 'default_output_file');
    const path =
      assigned === undefined && written !== undefined
        ? toOutputPath(expandKeys(written, keys), scope.isConfigured)
        : undefined;
    const name = assigned ?? /^\s*([A-Za-z_]\w*)\s*$/.exec(content)?.[1];
    if (path !== undefined) outputs.add(path);
    else if (name !== undefined) setsVariables.add(name);
  }
  for (const name of findAssigned(text)) setsVariables.add(name);
  return { outputs: [...outputs], setsVariables: [...setsVariables] };
}

/** "Set {{a}}, {{b}} from …", "Store {{a}} = …", "Store a for later use". */
function findAssigned(text: string): string[] {
  const lists = [...text.matchAll(/\b(?:Set|Store)\b((?:[\s,]|and\b|\{\{?[A-Za-z_]\w*\}?\})+)/g)];
  const braced = lists.flatMap(([, list = '']) => [...list.matchAll(/\{\{?([A-Za-z_]\w*)\}?\}/g)]);
  const bare = [...text.matchAll(/\bStore ([a-z]\w*_\w+) for later/g)];
  return [...braced, ...bare].map(([, name = '']) => name);
}

/** Adds a node for each call of another workflow, between the calling step and the next one. */
function withCalls(
  segments: readonly SegmentNode[],
  edges: readonly EdgeDraft[],
  { owner, folder, workflow, id }: TextSource,
  scope: ImportScope,
): { nodes: NodeDraft[]; edges: EdgeDraft[] } {
  const nodes: NodeDraft[] = [];
  const usedIds = new Set(segments.map((segment) => segment.id));
  let all = [...edges];
  for (const node of segments) {
    // From last to first, so that each call leads to the next one.
    for (const call of findCalls(node).reverse()) {
      const found = resolveReference(call.text, scope.referencesOf(workflow.file, owner.folder, owner.keys));
      const target =
        found.kind === 'file' ? scope.workflowIdOf(found.path) : scope.workflowIdOfSkill(call.text);
      if (target === undefined || target === id) {
        scope.notes.addUnresolved(
          call.text,
          call.evidence,
          'No imported workflow matches; the call stays in the text.',
        );
        continue;
      }
      const callId = toUniqueId(toId(`call-${target}-${node.segment.number}`), usedIds);
      usedIds.add(callId);
      const isAlways = call.condition === undefined;
      const known = all.filter(({ from }) => from === node.id);
      const onward = known.length > 0 ? known : [toEnd(node, call.evidence)];
      if (known.length === 0) all.push(...onward);
      nodes.push(callNode(callId, target, folder));
      all = [
        ...all.filter((edge) => !isAlways || edge.from !== node.id),
        {
          from: node.id,
          to: callId,
          label: `call ${target}`,
          isDefault: isAlways,
          conditionText: call.condition ?? call.evidence.text,
          certainty: 'exact',
          evidence: [call.evidence],
        },
        ...onward.map((edge) => ({ ...edge, from: callId })),
      ];
      scope.notes.add(
        'invoke-workflow',
        'exact',
        { ...call.evidence, workflow: id },
        `${callId} calls ${target}.`,
      );
    }
  }
  if (all.some(({ to }) => to === END_ID)) nodes.push(toEndNode(END_ID, folder));
  return { nodes, edges: all };
}

/** After a call in a step that nothing follows. */
function toEnd({ id }: SegmentNode, evidence: EdgeDraft['evidence'][number]): EdgeDraft {
  return {
    from: id,
    to: END_ID,
    label: 'done',
    isDefault: true,
    conditionText: 'The last step is finished.',
    certainty: 'inferred',
    evidence: [evidence],
  };
}

function callNode(id: string, target: string, folder: string): NodeDraft {
  return {
    ...toPlainNode(id, `Call ${target}`, folder),
    type: 'subworkflow',
    subworkflow: `../${target}/workflow.md`,
    body: `\n# Call the workflow ${target}\n\nRun the workflow \`${target}\` of this package, then move on.\n`,
  };
}
