/**
 * Converts a workflow of micro steps: every step file becomes a node with its body unchanged, and its references to other steps
 * become edges. The body of workflow.md (or SKILL.md) becomes the body of workflow.md.
 */
import { posix } from 'node:path';
import { clip, createImportNotes, type ImportNotes } from '../source/import-notes.ts';
import { type ImportScope, type ReferenceOwner, toSideFiles } from '../source/import-scope.ts';
import {
  addUniqueId,
  type EdgeDraft,
  headingOf,
  type NodeDraft,
  RESERVED_KEYS,
  toId,
  type WorkflowDraft,
  withLabels,
} from '../source/package-draft.ts';
import { folderOf, type SourceWorkflow, STEP_FILE } from '../source/recognise-source.ts';
import { lineOf, pathTokens, resolveReference } from '../source/resolve-reference.ts';
import { type Fields, parseSourceDocument, type SourceDocument, textField } from '../source/source-yaml.ts';
import { START_ID, toCallNode, toEndEdge, toStartNode, withEnd } from './added-nodes.ts';
import { toGivenPaths, toRunValues } from './given-values.ts';
import { toImpliedEdges } from './implied-edges.ts';
import { toEndEdges, toEndNodes } from './step-ends.ts';
import { findMoves, type Move } from './step-moves.ts';
import { findOutputs } from './step-outputs.ts';
import { leadsOf, type ProofSource, withProof } from './step-proof.ts';

interface SourceStep extends SourceDocument {
  readonly id: string;
  readonly file: string;
  readonly text: string;
}

/** A workflow that is being converted. */
interface StepsSource {
  readonly workflow: SourceWorkflow;
  readonly id: string;
  /** The document of the workflow. */
  readonly root: SourceDocument;
  /** File → id of a step. */
  readonly byFile: ReadonlyMap<string, string>;
  /** First step of another workflow → id of that workflow. */
  readonly entries: ReadonlyMap<string, string>;
  readonly scope: ImportScope;
}

/** `entries`: the first steps of all workflows; a step that leads to one of another workflow calls that workflow. */
export function convertSteps(
  written: SourceWorkflow,
  id: string,
  scope: ImportScope,
  entries: ReadonlyMap<string, string>,
): WorkflowDraft {
  const { notes } = scope;
  const handedOver = findHandedOver(written, scope);
  const workflow = { ...written, steps: written.steps.filter((file) => !handedOver.includes(file)) };
  for (const file of handedOver) notes.add('sub-agent', 'inferred', { file, workflow: id }, HANDED_OVER);
  const root = readRoot(workflow, scope, notes);
  const steps = readSteps(workflow, scope, notes);
  const byFile = new Map(steps.map((step) => [step.file, step.id]));
  const start = findEntry({ workflow, id, root, byFile, entries: new Map(), scope });
  const starts = [start.to, ...start.edges.map(({ to }) => to)];
  const isForeign = ([file, owner]: [string, string]): boolean =>
    owner !== id && !starts.includes(byFile.get(file) ?? '');
  const source = { workflow, id, root, byFile, entries: new Map([...entries].filter(isForeign)), scope };
  const moved = steps.flatMap((step) => movesOf(step, source).map((move) => ({ from: step.id, ...move })));
  const resolved = moved.filter(({ certainty }) => certainty !== 'dropped');
  const used = usedSteps(starts, steps, resolved);
  const unused = workflow.sharesFolder ? [] : steps.filter((step) => !used.includes(step));
  for (const { file } of unused)
    notes.add('step', 'dropped', { file, workflow: id }, 'Nothing in the workflow leads to its folder.');
  const ids = new Set(used.map((step) => step.id));
  const own = [
    ...start.edges,
    ...resolved.filter(({ from, to }) => ids.has(from) && (ids.has(to) || callOf(to) !== undefined)),
  ];
  const folder = `workflows/${id}/`;
  const moves = [...own, ...toImpliedEdges(used, own, start.to)];
  const calls = [...new Set(moves.flatMap(({ to }) => callOf(to) ?? []))];
  const returns = calls.map((called) =>
    toEndEdge(`${CALL}${called}`, 'The called workflow has ended.', { file: workflow.file }),
  );
  const closed = withEnd(used, [...moves, ...returns, ...toEndEdges(used, moves)], folder);
  const edges = withLabels(closed.edges);
  const files = toSideFiles(workflow, folder, scope);
  const converted = used.map((step) => toNode(step, source, edges));
  const proved = withProof(converted, { workflow, id, edges }, scope);
  const first = start.edges.length > 0 ? [toStartNode(folder)] : [];
  const called = calls.map((target) => toCallNode(`${CALL}${target}`, target, folder));
  const known = [...first, ...proved, ...called, ...closed.nodes];
  const nodes = [...known, ...toEndNodes(edges, new Set(known.map((node) => node.id)), folder)];
  const message = `${nodes.length} steps; the body is unchanged.`;
  notes.add('workflow', 'exact', { file: workflow.file, workflow: id }, message);
  return {
    id,
    title: headingOf(root.body) ?? textField(root.fields, 'name') ?? id,
    description: textField(root.fields, 'description'),
    origin: workflow,
    folder,
    yaml: root.yaml,
    fields: scope.rewriteReferences({ ...root, file: workflow.file }, ownerOf(source)),
    body: root.body,
    entryNodeId: first[0]?.id ?? start.to,
    nodes,
    edges,
    droppedMoves: moved.filter(({ from, certainty }) => certainty === 'dropped' && ids.has(from)),
    variables: { ...toGivenPaths(source), ...toRunValues(used) },
    sourceFiles: [workflow.file, ...used.map(({ file }) => file)],
    files,
  };
}

function ownerOf({ workflow, root, byFile }: StepsSource): ReferenceOwner {
  const { folder, sharesFolder: isShared } = workflow;
  return { folder, isShared, keys: root.fields, isStep: (path) => byFile.has(path) };
}

const HANDED_OVER = 'A step hands it to a sub-agent: a document of that step, not a node.';
const SUB_AGENT = /\bsub-?agents?\b|\bsub-?process(?:es)?\b|\bworkers?\b/i;

/** Files with the name of a step that a step hands to a sub-agent and that no step leads to. */
function findHandedOver(workflow: SourceWorkflow, scope: ImportScope): string[] {
  const silent = createImportNotes();
  const texts = workflow.steps.map((file) => scope.tree.text(file) ?? '');
  if (!texts.some((text) => SUB_AGENT.test(text))) return [];
  const root = readRoot(workflow, scope, silent);
  const byFile = new Map(workflow.steps.map((file) => [file, file]));
  const source = { workflow, id: '', root, byFile, entries: new Map<string, string>(), scope };
  const steps = readSteps(workflow, scope, silent).map((step) => ({ ...step, id: step.file }));
  const reached = new Set(
    [...entryMoves(source), ...steps.flatMap((step) => movesOf(step, source))].map(({ to }) => to),
  );
  const named = steps.flatMap((step) => {
    const references = scope.referencesOf(step.file, workflow.folder, { ...root.fields, ...step.fields });
    const lines = step.body.split('\n').filter((line) => line.length <= 4_000 && SUB_AGENT.test(line));
    return lines.flatMap((line) =>
      pathTokens(line).flatMap(({ written }) => {
        const found = resolveReference(written, references);
        return found.kind === 'file' && found.path !== step.file ? [found.path] : [];
      }),
    );
  });
  return workflow.steps.filter((file, index) => index > 0 && named.includes(file) && !reached.has(file));
}

function readSteps(workflow: SourceWorkflow, { tree }: ImportScope, notes: ImportNotes): SourceStep[] {
  const usedIds = new Set<string>();
  return workflow.steps.flatMap((file): SourceStep[] => {
    const text = tree.text(file);
    if (text === undefined) return [];
    const name = toId(posix.basename(file, '.md'));
    const prefixed = usedIds.has(name) ? `${toId(posix.basename(folderOf(file)))}-${name}` : name;
    const id = addUniqueId(prefixed, usedIds);
    return [{ ...parseSourceDocument(text, file, notes), id, file, text }];
  });
}

/** "- `output_file` = `{output_folder}/x.md`" in the text of a workflow is a key as well. */
function readRoot(workflow: SourceWorkflow, { tree }: ImportScope, notes: ImportNotes): SourceDocument {
  const root = parseSourceDocument(tree.text(workflow.file) ?? '', workflow.file, notes);
  const written = [
    ...root.body.matchAll(/^[ \t]*[-*][ \t]+`\{?([A-Za-z_]\w{1,60})\}?`[ \t]*=[ \t]*`([^`\s]{1,300})`/gm),
  ];
  const defined = Object.fromEntries(written.map(([, name = '', value = '']) => [name, value]));
  return { ...root, fields: { ...defined, ...root.fields } };
}

/** Prefix of the id of a node that calls a workflow. */
const CALL = 'call-';

function callOf(id: string): string | undefined {
  return id.startsWith(CALL) ? id.slice(CALL.length) : undefined;
}

/** The file of the step with which a workflow begins. */
export function entryFileOf(workflow: SourceWorkflow, scope: ImportScope): string | undefined {
  if (workflow.steps.length === 0) return undefined;
  const root = readRoot(workflow, scope, createImportNotes());
  const byFile = new Map(workflow.steps.map((file) => [file, file]));
  const source = { workflow, id: '', root, byFile, entries: new Map(), scope };
  return entryMoves(source)[0]?.to ?? workflow.steps[0];
}

interface Entry {
  readonly to: string;
  /** Non-empty if the workflow file leads to several steps: a decision node comes first then. */
  readonly edges: readonly EdgeDraft[];
}

function entryMoves(source: StepsSource): Move[] {
  const { workflow, root, scope } = source;
  const from = { id: '', file: workflow.file, text: scope.tree.text(workflow.file) ?? '', ...root };
  return movesOf(from, source).filter(({ certainty }) => certainty !== 'dropped');
}

/** The step the workflow file refers to; else the first one by name. */
function findEntry(source: StepsSource): Entry {
  const { workflow, byFile, scope } = source;
  const moves = entryMoves(source);
  const [first] = moves;
  const to = first?.to ?? byFile.get(workflow.steps[0] ?? '') ?? '';
  const edges = moves.length > 1 ? moves.map((move) => ({ from: START_ID, ...move })) : [];
  const message =
    edges.length > 0
      ? `The workflow can begin with ${moves.map((move) => move.to).join(', ')}; a decision comes first.`
      : first
        ? `The workflow begins with ${to}.`
        : `The workflow names no first step; ${to} is the first by name.`;
  const at = { file: workflow.file, ...first?.evidence[0] };
  scope.notes.add('entry step', first?.certainty ?? 'inferred', at, message);
  return { to, edges };
}

function movesOf(step: SourceStep, { workflow, root, byFile, entries, scope }: StepsSource): Move[] {
  const references = scope.referencesOf(step.file, workflow.folder, { ...root.fields, ...step.fields });
  const resolveStep = (written: string): { to: string; isExact: boolean } | 'missing' | undefined => {
    const found = resolveReference(written, references);
    if (found.kind === 'missing') return STEP_FILE.test(written) ? 'missing' : undefined;
    if (found.kind !== 'file') return undefined;
    const called = entries.get(found.path);
    const to = called === undefined ? byFile.get(found.path) : `${CALL}${called}`;
    return to === undefined || to === step.id ? undefined : { to, isExact: found.isExact };
  };
  const keys = Object.entries(step.fields).flatMap(([key, value]) => {
    const target = typeof value === 'string' && !/^this/i.test(key) ? resolveStep(value) : undefined;
    if (target === undefined || target === 'missing') return [];
    return [{ key, to: target.to, line: lineOf(step.text, `${key}:`) ?? 1 }];
  });
  const { file, body, bodyLine } = step;
  return findMoves({ file, body, bodyLine, keys, resolveStep, isOverview: file === workflow.file });
}

/** Reachable steps, and the other steps in their folders, since prose without a path may lead to those. */
function usedSteps(
  entries: readonly string[],
  steps: readonly SourceStep[],
  edges: readonly EdgeDraft[],
): SourceStep[] {
  const seen = new Set(entries);
  for (const id of seen) for (const { from, to } of edges) if (from === id) seen.add(to);
  const folders = new Set(steps.filter(({ id }) => seen.has(id)).map(({ file }) => folderOf(file)));
  return steps.filter(({ file }) => folders.has(folderOf(file)));
}

function toNode(step: SourceStep, source: StepsSource, edges: readonly EdgeDraft[]): ProofSource {
  const { workflow, id, root, scope } = source;
  const leads = leadsOf(edges.filter(({ from }) => from === step.id));
  const outputs = findOutputs(
    { ...step, fields: { ...root.fields, ...step.fields } },
    scope.isConfigured,
    leads,
  );
  for (const { path, isExact, line, text } of outputs) {
    const at = { file: step.file, line, text, workflow: id };
    scope.notes.add('output', isExact ? 'exact' : 'inferred', at, path);
  }
  const node: NodeDraft = {
    id: step.id,
    type: edges.some(({ from }) => from === step.id) ? 'step' : 'end',
    file: `workflows/${id}/${step.file.slice(workflow.folder.length)}`,
    title: headingOf(step.body) ?? textField(step.fields, 'name') ?? step.id,
    description: clip(textField(step.fields, 'description') ?? '', 500) || undefined,
    outputs: outputs.map(({ path }) => path),
    setsVariables: [],
    yaml: step.yaml,
    fields: { ...renamedKeys(step.fields), ...scope.rewriteReferences(step, ownerOf(source)) },
    body: step.body,
  };
  const references = scope.referencesOf(step.file, workflow.folder, { ...root.fields, ...step.fields });
  return { node, file: step.file, bodyLine: step.bodyLine, outputs, references };
}

/** Stores keys that clash with keys of the format under another name. */
function renamedKeys(fields: Fields): Fields {
  const clashing = RESERVED_KEYS.filter((key) => fields[key] !== undefined);
  return Object.fromEntries(clashing.map((key) => [`source_${key}`, fields[key]]));
}
