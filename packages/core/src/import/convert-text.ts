/**
 * Converts workflows that are a single text: skills without step files, and the instructions of classic workflows. The text is split
 * into its steps; without steps it becomes one node. Text outside of the steps goes to workflow.md.
 */
import { posix } from 'node:path';
import { isObject } from '@crewagent/protocol/json-object';
import { clip, createImportNotes } from './source/import-notes.ts';
import { type ImportScope, toSideFiles } from './source/import-scope.ts';
import {
  addUniqueId,
  type EdgeDraft,
  headingOf,
  type NodeDraft,
  toId,
  type WorkflowDraft,
  withLabels,
} from './source/package-draft.ts';
import { withRequest } from './source/raw-tokens.ts';
import type { SourceWorkflow } from './source/recognise-source.ts';
import { expandKeys, pathTokens, resolveReference } from './source/resolve-reference.ts';
import { type Fields, parseSourceDocument, textField } from './source/source-yaml.ts';
import { END_ID, toCallNode, toEndEdge, toEndNode, withCalls, withEnd } from './steps/added-nodes.ts';
import { EXIT_ID, type SegmentNode, toSegmentEdges } from './steps/segment-edges.ts';
import { byNumber, type Segment, splitSteps } from './steps/split-steps.ts';
import { findOutputs, toOutputPath } from './steps/step-outputs.ts';
import { toFilledOutputs } from './steps/step-produces.ts';
import { findTemplate, type ProofSource, withProof } from './steps/step-proof.ts';

export interface TextSource {
  readonly workflow: SourceWorkflow;
  readonly id: string;
  readonly fields: Fields;
  /** Those fields that may stand for a path. */
  readonly keys: Fields;
  /** The file with the text. */
  readonly file: string;
  /** Number of lines before the text. */
  readonly textLine: number;
  readonly title: string;
  /** Frontmatter and body of workflow.md. */
  readonly yaml: string;
  readonly body: string;
  readonly steps: readonly Segment[];
  readonly variables: Fields;
}

export function convertSkill(workflow: SourceWorkflow, id: string, scope: ImportScope): WorkflowDraft {
  const { file } = workflow;
  const { fields, yaml, bodyLine, ...document } = parseSourceDocument(
    scope.tree.text(file) ?? '',
    file,
    scope.notes,
  );
  const body = workflow.kind === 'command' ? withScript(withRequest(document.body), fields) : document.body;
  const title = headingOf(body, 1) ?? id;
  const keys = pathKeys(fields);
  const { steps, rest = `# ${title}\n` } = toSegments(body, title);
  const source = { workflow, id, fields, keys, file, textLine: bodyLine, title, yaml, steps, body: rest };
  const delegated = steps.length > 1 ? undefined : findDelegated(body, source, scope);
  const called = steps.length > 1 ? undefined : findOnlySkill(body, id, scope);
  if (called === undefined) return convertText({ ...source, ...delegated, variables: {} }, scope);
  scope.notes.add('workflow', 'exact', { file, workflow: id }, `It only calls ${called}.`);
  return toCall(convertText({ ...source, variables: {} }, { ...scope, notes: createImportNotes() }), called);
}

const USES_SKILL =
  /\b(?:use|invoke|follow|run|load)\b[^.\n]{0,60}?[`"*]{0,3}(?:[\w-]{1,80}:)?([a-z][\w-]{1,80})[`"*]{0,3} skill\b/i;

/** "Use the x skill exactly as written.": a text that only names another workflow of the source. */
function findOnlySkill(body: string, id: string, scope: ImportScope): string | undefined {
  const lines = body.split('\n').filter((line) => line.trim() !== '' && !/^#/.test(line));
  const name = lines.length > 2 ? undefined : USES_SKILL.exec(lines[0] ?? '')?.[1];
  const target = name === undefined ? undefined : scope.workflowIdOfSkill(name);
  return target === id ? undefined : target;
}

/** The workflow with a call in place of its only node. */
function toCall(converted: WorkflowDraft, target: string): WorkflowDraft {
  const { folder, origin } = converted;
  const call = toCallNode(`call-${target}`, target, folder);
  const edge = toEndEdge(call.id, 'The called workflow has ended.', { file: origin.file });
  return { ...converted, entryNodeId: call.id, nodes: [call, toEndNode(END_ID, folder)], edges: [edge] };
}

const DELEGATES =
  /\b(?:execute|follow|run|perform)\b[^\n]{0,80}\b(?:workflow|instructions|process|procedure|steps)\b[^\n]{0,40}?(?:in|from|of|:)\s/i;

/** The steps of another file, if the text says to follow it and it is the only one of its kind. */
function findDelegated(
  body: string,
  { workflow, keys }: Pick<TextSource, 'workflow' | 'keys'>,
  scope: ImportScope,
): Pick<TextSource, 'file' | 'textLine' | 'steps' | 'body'> | undefined {
  const references = scope.referencesOf(workflow.file, workflow.folder, keys);
  const lines = body.split('\n').filter((line) => line.length <= 4_000 && DELEGATES.test(line));
  const files = lines.flatMap((line) =>
    pathTokens(line).flatMap(({ written }) => {
      const found = resolveReference(written, references);
      return found.kind === 'file' && /\.md$/i.test(found.path) ? [found.path] : [];
    }),
  );
  const [file, another] = new Set(files);
  if (file === undefined || another !== undefined || scope.workflowIdOf(file) !== undefined) return undefined;
  const { body: text, bodyLine } = parseSourceDocument(scope.tree.text(file) ?? '', file, scope.notes);
  const split = splitSteps(workflow.kind === 'command' ? withRequest(text) : text);
  return (
    split && {
      file,
      textLine: bodyLine,
      steps: split.steps,
      body: `${body.trimEnd()}\n\n${split.rest.trim()}\n`,
    }
  );
}

/** The script of a command is the one for a POSIX shell. */
function withScript(body: string, { scripts }: Fields): string {
  const script = isObject(scripts) ? textField(scripts, 'sh') : undefined;
  return body.replaceAll('{SCRIPT}', script ?? '(no script)');
}

/** The fields that are not about the installation, not answers given to it, and not made by the runtime, as a date is. */
export function pathKeys(fields: Fields): Fields {
  const isOwn = ([key, value]: [string, unknown]): boolean =>
    !/^(?:installed_path|config_source)$/.test(key) &&
    !(typeof value === 'string' && /^(?:\{config_source\}|system-generated$)/.test(value));
  return Object.fromEntries(Object.entries(fields).filter(isOwn));
}

/** The steps of a text and the text outside of them; without steps the whole text is one. */
export function toSegments(text: string, title: string): { steps: readonly Segment[]; rest?: string } {
  return splitSteps(text) ?? { steps: [{ number: '', unit: '', title, text, line: 0, attributes: {} }] };
}

export function convertText(source: TextSource, scope: ImportScope): WorkflowDraft {
  const { workflow, id, keys, file, textLine, title, yaml, body, steps, variables } = source;
  const folder = `workflows/${id}/`;
  const isClassic = workflow.kind === 'classic';
  const usedIds = new Set<string>();
  const segments = [...steps].sort(byNumber).map((segment): SegmentNode => {
    const slug = toId(segment.title.toLowerCase())
      .slice(0, 40)
      .replace(/[-.]+$/, '');
    const nodeId = addUniqueId(
      segment.number === '' ? slug : toId(`step-${segment.number}-${slug}`),
      usedIds,
    );
    return { id: nodeId, segment, file, line: textLine + segment.line + 1 };
  });
  const found = toSegmentEdges(segments);
  const references = scope.referencesOf(workflow.file, workflow.folder, keys);
  const called = withCalls(segments, found.edges, { id, folder, references }, scope);
  const closed = withEnd(segments, called.edges, folder);
  const edges = withLabels(closed.edges);
  const nodes = withProof(
    segments.map((node) => toNode(node, edges, source, scope)),
    { workflow, id, edges },
    scope,
  );
  const extra = [...called.nodes, ...closed.nodes, ...(found.hasExit ? [toEndNode(EXIT_ID, folder)] : [])];
  const document = { fields: {}, yaml: '', body, bodyLine: 0, file: isClassic ? file : workflow.file };
  const files = toSideFiles(workflow, folder, scope);
  if (isClassic) {
    files.delete(folder + posix.basename(file));
    files.set(`${folder}workflow.yaml`, workflow.file);
  }
  const split = steps.length > 1 ? `Split at its ${steps.length} steps.` : ONE_NODE;
  scope.notes.add('workflow', 'exact', { file: workflow.file, workflow: id }, split);
  return {
    id,
    title,
    description: textField(source.fields, 'description'),
    origin: workflow,
    folder,
    yaml,
    fields: scope.rewriteReferences(document, { folder: workflow.folder, keys, isStep: () => false }),
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

/** Nothing in the text can be enforced as a sequence. */
export const ONE_NODE = 'One node: its stages are prose.';

function toNode(
  { id, segment, file, line }: SegmentNode,
  edges: readonly EdgeDraft[],
  source: TextSource,
  scope: ImportScope,
): ProofSource {
  const { keys, id: workflow } = source;
  const { folder } = source.workflow;
  const document = { fields: {}, yaml: '', body: segment.text, bodyLine: line - 1, file };
  const { outputs, setsVariables } = findTemplateOutputs(segment, source, scope);
  const prose = findOutputs({ ...document, fields: keys }, scope.isConfigured);
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
    file: `workflows/${workflow}/steps/${id}.md`,
    title: clip(segment.title, 200),
    outputs: all,
    setsVariables,
    yaml: '',
    fields: scope.rewriteReferences(document, { folder, keys, isStep: () => false }),
    body: segment.text,
  };
  const references = scope.referencesOf(file, folder, keys);
  const template = findTemplate(source.fields.template, references, scope);
  const filled = toFilledOutputs(segment.text, outputs, template);
  const written = [...filled, ...prose.filter(({ path }) => !outputs.includes(path))];
  return { node, file, bodyLine: document.bodyLine, outputs: written, references };
}

/** `<template-output file="…">section` is a part of the output file; `name = value` is a variable. */
function findTemplateOutputs(
  { text }: Segment,
  { fields, keys }: TextSource,
  scope: ImportScope,
): { outputs: string[]; setsVariables: string[] } {
  const outputs = new Set<string>();
  const setsVariables = new Set<string>();
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
