/**
 * Converts a workflow of micro steps: every step file becomes a node with its body unchanged, and its references to other steps
 * become edges. The body of workflow.md (or SKILL.md) becomes the body of workflow.md.
 */
import { posix } from 'node:path';
import { clip } from '../source/import-notes.ts';
import { type ImportScope, type ReferenceOwner, toSideFiles } from '../source/import-scope.ts';
import {
  addUniqueId,
  type EdgeDraft,
  headingOf,
  type NodeDraft,
  RESERVED_KEYS,
  toEdge,
  toId,
  type WorkflowDraft,
  withLabels,
} from '../source/package-draft.ts';
import { folderOf, type SourceWorkflow, STEP_FILE } from '../source/recognise-source.ts';
import { lineOf, resolveReference } from '../source/resolve-reference.ts';
import { type Fields, parseSourceDocument, type SourceDocument, textField } from '../source/source-yaml.ts';
import { toPlainNode, withEnd } from './added-nodes.ts';
import { findMoves, isContinueName, type Move } from './step-moves.ts';
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
  readonly scope: ImportScope;
}

export function convertSteps(workflow: SourceWorkflow, id: string, scope: ImportScope): WorkflowDraft {
  const { tree, notes } = scope;
  const root = parseSourceDocument(tree.text(workflow.file) ?? '', workflow.file, notes);
  const steps = readSteps(workflow, scope);
  const byFile = new Map(steps.map((step) => [step.file, step.id]));
  const source = { workflow, id, root, byFile, scope };
  const entry = findEntry(source);
  const written = steps.flatMap((step) => movesOf(step, source).map((move) => ({ from: step.id, ...move })));
  const resolved = written.filter(({ certainty }) => certainty !== 'dropped');
  const used = usedSteps([entry.to, ...entry.starts.map(({ to }) => to)], steps, resolved);
  const unused = workflow.sharesFolder ? [] : steps.filter((step) => !used.includes(step));
  for (const { file } of unused)
    notes.add('step', 'dropped', { file, workflow: id }, 'Nothing in the workflow leads to its folder.');
  const ids = new Set(used.map((step) => step.id));
  const own = [...entry.starts, ...resolved.filter(({ from, to }) => ids.has(from) && ids.has(to))];
  const folder = `workflows/${id}/`;
  const closed = withEnd(used, [...own, ...toImpliedEdges(used, own, entry.to)], folder);
  const edges = withLabels(closed.edges);
  const files = toSideFiles(workflow, folder, scope);
  const converted = used.map((step) => toNode(step, source, edges));
  const proved = withProof(converted, { workflow, id, edges }, scope);
  const start = entry.starts.length > 0 ? [toStartNode(folder)] : [];
  const nodes = [...start, ...proved, ...closed.nodes];
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
    entryNodeId: start[0]?.id ?? entry.to,
    nodes,
    edges,
    droppedMoves: written.filter(({ from, certainty }) => certainty === 'dropped' && ids.has(from)),
    variables: {},
    sourceFiles: [workflow.file, ...used.map(({ file }) => file)],
    files,
  };
}

function ownerOf({ workflow, root, byFile }: StepsSource): ReferenceOwner {
  return { folder: workflow.folder, keys: root.fields, isStep: (path) => byFile.has(path) };
}

function readSteps(workflow: SourceWorkflow, { tree, notes }: ImportScope): SourceStep[] {
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

interface Entry {
  readonly to: string;
  /** Non-empty if the workflow file leads to several steps: a decision node comes first then. */
  readonly starts: readonly EdgeDraft[];
}

/** The step the workflow file refers to; else the first one by name. */
function findEntry(source: StepsSource): Entry {
  const { workflow, root, byFile, scope } = source;
  const from = { id: '', file: workflow.file, text: scope.tree.text(workflow.file) ?? '', ...root };
  const moves = movesOf(from, source).filter(({ certainty }) => certainty !== 'dropped');
  const [first] = moves;
  const to = first?.to ?? byFile.get(workflow.steps[0] ?? '') ?? '';
  const starts = moves.length > 1 ? moves.map((move) => ({ from: START_ID, ...move })) : [];
  const message =
    starts.length > 0
      ? `The workflow can begin with ${moves.map((move) => move.to).join(', ')}; a decision comes first.`
      : first
        ? `The workflow begins with ${to}.`
        : `The workflow names no first step; ${to} is the first by name.`;
  const at = { file: workflow.file, ...first?.evidence[0] };
  scope.notes.add('entry step', first?.certainty ?? 'inferred', at, message);
  return { to, starts };
}

const START_ID = 'choose-start';

function toStartNode(folder: string): NodeDraft {
  const body =
    '\n# Choose where to start\n\nThe workflow can begin with different steps. Decide by what the person wants and by the body of workflow.md; ask when it is not clear.\n';
  return { ...toPlainNode(START_ID, 'Choose where to start', folder), type: 'decision', body };
}

function movesOf(step: SourceStep, { workflow, root, byFile, scope }: StepsSource): Move[] {
  const references = scope.referencesOf(step.file, workflow.folder, { ...root.fields, ...step.fields });
  const resolveStep = (written: string): { to: string; isExact: boolean } | 'missing' | undefined => {
    const found = resolveReference(written, references);
    if (found.kind === 'missing') return STEP_FILE.test(written) ? 'missing' : undefined;
    const to = found.kind === 'file' ? byFile.get(found.path) : undefined;
    return to === undefined || to === step.id || found.kind !== 'file'
      ? undefined
      : { to, isExact: found.isExact };
  };
  const keys = Object.entries(step.fields).flatMap(([key, value]) => {
    const target = typeof value === 'string' && !/^this/i.test(key) ? resolveStep(value) : undefined;
    if (target === undefined || target === 'missing') return [];
    return [{ key, to: target.to, line: lineOf(step.text, `${key}:`) ?? 1 }];
  });
  return findMoves({ file: step.file, body: step.body, bodyLine: step.bodyLine, keys, resolveStep });
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
  const outputs = findOutputs(step, scope.isConfigured, leads);
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

interface Step {
  readonly id: string;
  readonly file: string;
  readonly body: string;
  readonly bodyLine: number;
}

const RESUMES =
  /appropriate (?:next )?step|next step file|nextStepFile[`}]* determined|continue this pattern|next (?:incomplete|logical|uncompleted) step|based on `?(?:lastStep|stepsCompleted)/i;

/**
 * Edges that a workflow implies without naming a file: a continue step leads to every later step, and a step without a named
 * successor leads to the next one by number. All are inferred.
 */
function toImpliedEdges(steps: readonly Step[], edges: readonly EdgeDraft[], entry: string): EdgeDraft[] {
  const folders = new Map<string, Step[]>();
  for (const step of steps) {
    const folder = folderOf(step.file);
    folders.set(folder, [...(folders.get(folder) ?? []), step]);
  }
  // Each folder of steps is one sequence; numbers of different folders are unrelated.
  return [...folders.values()].flatMap((line) => {
    const continued = toContinueEdges(line, edges, entry);
    return [...continued, ...toOrderEdges(line, [...edges, ...continued], entry)];
  });
}

function toContinueEdges(steps: readonly Step[], edges: readonly EdgeDraft[], entry: string): EdgeDraft[] {
  return steps.filter(isContinue).flatMap((step): EdgeDraft[] => {
    const lines = step.body.split('\n');
    const at = lines.findIndex((line) => RESUMES.test(line));
    if (at === -1) return [];
    const text = (lines[at] ?? '').trim().slice(0, 300);
    const known = new Set(edges.filter(({ from }) => from === step.id).map(({ to }) => to));
    return steps
      .filter((other) => !isContinue(other) && other.id !== entry && !known.has(other.id))
      .map((other) => {
        const evidence = { file: step.file, line: step.bodyLine + at + 1, text };
        const conditionText = `Continue here when ${other.id} is the first step that is not completed. ${text}`;
        const ends = { from: step.id, to: other.id, label: `resume ${other.id}` };
        return toEdge(ends, evidence, { conditionText, certainty: 'inferred' });
      });
  });
}

function isContinue({ id }: Step): boolean {
  return isContinueName(id);
}

function toOrderEdges(steps: readonly Step[], edges: readonly EdgeDraft[], entry: string): EdgeDraft[] {
  const line = steps.filter((step) => !isContinue(step));
  const added = line.flatMap((step, index): EdgeDraft[] => {
    const next = line[index + 1];
    if (!next || edges.some(({ from }) => from === step.id) || isLast(step)) return [];
    return [toOrderEdge(step, next, 'No next step is named; this is the next step by number.')];
  });
  const all = [...edges, ...added];
  // A continue step without incoming edges follows the first step.
  const first = steps.find(({ id }) => id === entry) ?? line[0];
  const orphans = steps.filter(({ id }) => id !== entry && !all.some(({ to }) => to === id));
  return [
    ...added,
    ...orphans.flatMap((step): EdgeDraft[] => {
      const before = isContinue(step) ? first : line[line.indexOf(step) - 1];
      return before
        ? [toOrderEdge(before, step, 'No step refers to this one; it follows by its number.')]
        : [];
    }),
  ];
}

function isLast({ id }: Step): boolean {
  return /(?:complete|completion|final|finish|done|end)(?:[-_]|$)/i.test(id);
}

function toOrderEdge(from: Step, to: Step, why: string): EdgeDraft {
  const ends = { from: from.id, to: to.id, label: isContinue(to) ? 'continue' : 'next' };
  const rest = { isDefault: !isContinue(to), certainty: 'inferred' } as const;
  return toEdge(ends, { file: to.file, text: why }, rest);
}
