/**
 * Converts a workflow in YAML whose nodes name the nodes they depend on. A run has one active node, so that nodes which could run
 * side by side come one after the other; a node with a condition can be skipped, a command of the source is a call, and a loop is
 * one node that is repeated.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { clip, createImportNotes } from './source/import-notes.ts';
import type { ImportScope } from './source/import-scope.ts';
import {
  addUniqueId,
  type EdgeDraft,
  headingOf,
  type NodeDraft,
  toEdge,
  toId,
  type WorkflowDraft,
  withLabels,
} from './source/package-draft.ts';
import { withRequest } from './source/raw-tokens.ts';
import type { SourceWorkflow } from './source/recognise-source.ts';
import { lineOf } from './source/resolve-reference.ts';
import { type Fields, parseSourceYaml, textField } from './source/source-yaml.ts';
import { END_ID, toCallNode, toEndNode, toPlainNode } from './steps/added-nodes.ts';
import { type ProofSource, withProof } from './steps/step-proof.ts';

interface DagNode {
  readonly id: string;
  readonly fields: Fields;
  readonly needs: readonly string[];
  readonly line: number | undefined;
}

export function convertDag(workflow: SourceWorkflow, id: string, scope: ImportScope): WorkflowDraft {
  const { file } = workflow;
  const { tree, notes } = scope;
  const text = tree.text(file) ?? '';
  const fields = parseSourceYaml(text, file, notes)?.fields ?? {};
  const folder = `workflows/${id}/`;
  const ordered = inOrder(readNodes(fields, text));
  const edges = withLabels(toEdges(ordered, file));
  const drafts = ordered.map((node) => toDraft(node, { workflow, id, folder, edges }, scope));
  const calls = drafts.flatMap((draft) => ('node' in draft ? [] : [draft]));
  const found = createImportNotes();
  const proved = withProof(
    drafts.flatMap((draft) => ('node' in draft ? [draft] : [])),
    { workflow, id, edges },
    { ...scope, notes: found },
  );
  // Lines of a text in YAML are not lines of the file.
  for (const { construct, certainty, message } of found.constructs)
    notes.add(construct, certainty, { file, workflow: id }, message);
  const known = new Map([...proved.map(withFiles), ...calls].map((node) => [node.id, node]));
  const nodes = ordered.flatMap((node) => known.get(node.id) ?? []);
  const end = edges.some(({ to }) => to === END_ID) ? [toEndNode(END_ID, folder)] : [];
  const settings = [...new Set(ordered.flatMap((node) => Object.keys(node.fields)))].filter(
    (key) => !KNOWN.has(key),
  );
  if (settings.length > 0)
    notes.add(
      'settings',
      'inferred',
      { file, workflow: id },
      `Not used by the runtime: ${settings.join(', ')}.`,
    );
  notes.add(
    'workflow',
    'exact',
    { file, workflow: id },
    `${ordered.length} nodes, in the order of their dependencies.`,
  );
  const description = textField(fields, 'description');
  const title = textField(fields, 'name') ?? id;
  return {
    id,
    title,
    description: description?.split('\n')[0],
    origin: workflow,
    folder,
    yaml: '',
    fields: {},
    body: `# ${title}\n\n${description ?? ''}\n`,
    entryNodeId: ordered[0]?.id ?? '',
    nodes: [...nodes, ...end],
    edges,
    droppedMoves: [],
    variables: {},
    sourceFiles: [file],
    files: new Map(),
  };
}

const KNOWN: ReadonlySet<string> = new Set([
  'id',
  'depends_on',
  'when',
  'prompt',
  'command',
  'bash',
  'script',
  'loop',
  'approval',
  'cancel',
  'description',
]);

function readNodes(fields: Fields, text: string): DagNode[] {
  const usedIds = new Set<string>();
  const written = (Array.isArray(fields.nodes) ? fields.nodes : []).filter(isObject);
  return written.map((node, index) => {
    const name = textField(node, 'id') ?? `node-${index + 1}`;
    const needs = (Array.isArray(node.depends_on) ? node.depends_on : [node.depends_on]).filter(
      (need) => typeof need === 'string',
    );
    return {
      id: addUniqueId(toId(name), usedIds),
      fields: node,
      needs: needs.map(toId),
      line: lineOf(text, `id: ${name}`),
    };
  });
}

/** Nodes after those they depend on, otherwise as written. A cycle keeps the written order. */
function inOrder(nodes: readonly DagNode[]): DagNode[] {
  const rest = [...nodes];
  const ordered: DagNode[] = [];
  while (rest.length > 0) {
    const isFree = ({ needs }: DagNode): boolean => !rest.some(({ id }) => needs.includes(id));
    const at = Math.max(0, rest.findIndex(isFree));
    ordered.push(...rest.splice(at, 1));
  }
  return ordered;
}

/** To the next node, and past every node with a condition that follows. */
function toEdges(nodes: readonly DagNode[], file: string): EdgeDraft[] {
  return nodes.flatMap((from, index): EdgeDraft[] => {
    const edges: EdgeDraft[] = [];
    const skipped: string[] = [];
    for (const to of nodes.slice(index + 1)) {
      const written = textField(to.fields, 'when');
      const when = written === undefined ? undefined : withNames(written);
      const evidence = { file, line: to.line, text: `id: ${to.id}` };
      const isNext = skipped.length === 0;
      const condition = [...skipped.map((other) => `Not: ${other}`), ...(when === undefined ? [] : [when])];
      edges.push(
        toEdge({ from: from.id, to: to.id, label: isNext ? 'next' : `skip to ${to.id}` }, evidence, {
          isDefault: isNext,
          conditionText: condition.length > 0 ? clip(condition.join(' / '), 600) : undefined,
          certainty: to.needs.includes(from.id) || !isNext ? 'exact' : 'inferred',
        }),
      );
      if (when === undefined) return edges;
      skipped.push(when);
    }
    // All that follows can be skipped.
    if (skipped.length > 0) {
      const conditionText = clip(skipped.map((other) => `Not: ${other}`).join(' / '), 600);
      edges.push(
        toEdge({ from: from.id, to: END_ID, label: 'done' }, { file, line: from.line }, { conditionText }),
      );
    }
    return edges;
  });
}

interface Context {
  readonly workflow: SourceWorkflow;
  readonly id: string;
  readonly folder: string;
  readonly edges: readonly EdgeDraft[];
}

function toDraft(
  { id, fields, line }: DagNode,
  { workflow, id: own, folder, edges }: Context,
  scope: ImportScope,
): ProofSource | NodeDraft {
  const { file } = workflow;
  const command = textField(fields, 'command');
  const target = command === undefined ? undefined : scope.workflowIdOfSkill(command);
  if (target !== undefined && target !== own) return toCallNode(id, target, folder);
  if (command !== undefined)
    scope.notes.addUnresolved(command, { file, line }, 'the source has no such command.');
  const body = toBody(fields, command);
  const node: NodeDraft = {
    ...toPlainNode(id, clip(headingOf(body) ?? id, 200), folder),
    type: edges.some(({ from }) => from === id) ? 'step' : 'end',
    body: `\n${body}\n`,
  };
  const references = scope.referencesOf(file, workflow.folder, {});
  return { node, file, bodyLine: line ?? 0, outputs: [], references };
}

function withFiles(node: NodeDraft): NodeDraft {
  const outputs = writtenFiles(node.body);
  return outputs.length > 0 ? { ...node, outputs, produces: outputs.map((path) => ({ path })) } : node;
}

/** Files of the run that a line says to write. */
function writtenFiles(body: string): string[] {
  const lines = body
    .split('\n')
    .flatMap((text) => (/\b(?:save|write|create)\b/i.test(text.slice(0, 200)) ? [text] : []));
  const paths = lines.flatMap((text) => [...text.matchAll(/`(artifacts\/[\w./-]{1,200}\.\w{1,5})`/g)]);
  return [...new Set(paths.map(([, path = '']) => path))];
}

/** What the node says to do, with results of other nodes and answers by name. */
function toBody(fields: Fields, command: string | undefined): string {
  const loop = isObject(fields.loop) ? fields.loop : undefined;
  const approval = isObject(fields.approval) ? fields.approval : undefined;
  const cancel = fields.cancel;
  const script = textField(fields, 'bash') ?? textField(fields, 'script');
  const parts = [
    textField(fields, 'prompt') ?? (loop && textField(loop, 'prompt')),
    loop && `Repeat this step until the result is ${textField(loop, 'until') ?? 'complete'}.`,
    loop && textField(loop, 'gate_message'),
    loop?.interactive === true && 'After each round, stop and wait for the person.',
    approval && `Ask the person and wait for the answer: ${textField(approval, 'message') ?? 'Continue?'}`,
    script &&
      `Run this script, if commands are allowed; else do by other means what it does.\n\n\`\`\`sh\n${script}\n\`\`\``,
    cancel === undefined
      ? undefined
      : `Stop here: ${isObject(cancel) ? (textField(cancel, 'reason') ?? '') : String(cancel)}`,
    command && `Do what the command \`${command}\` says.`,
  ];
  return withNames(parts.filter(Boolean).join('\n\n'));
}

/** `$plan.output.size` is a value in the result of the node `plan`. */
function withNames(text: string): string {
  return withRequest(text)
    .replaceAll(/\$LOOP_USER_INPUT\b/g, '(what the person said last)')
    .replaceAll(/\$([a-z][\w-]{0,80})\.output((?:\.\w{1,80})*)/gi, (_, name: string, part: string) =>
      part === '' ? `(the result of ${name})` : `(${part.slice(1)} in the result of ${name})`,
    );
}
