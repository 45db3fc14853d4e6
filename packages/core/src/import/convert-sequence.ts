/**
 * Converts a sequence of agents (BMAD 4): every entry becomes a node of its agent, with what it creates, uses and needs as its text.
 * An optional entry, or one with a condition, can be skipped; a cycle leads back to where it begins. Of several sequences in a file
 * the person chooses one.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { withPackagePaths } from './convert-agents.ts';
import { clip } from './source/import-notes.ts';
import type { ImportScope } from './source/import-scope.ts';
import {
  addUniqueId,
  type EdgeDraft,
  type NodeDraft,
  toEdge,
  toId,
  type WorkflowDraft,
  withLabels,
} from './source/package-draft.ts';
import type { SourceWorkflow } from './source/recognise-source.ts';
import { lineOf } from './source/resolve-reference.ts';
import { type Fields, parseSourceYaml, textField } from './source/source-yaml.ts';
import { START_ID, toPlainNode, toStartNode, withEnd } from './steps/added-nodes.ts';

interface Entry {
  readonly id: string;
  readonly fields: Fields;
  readonly title: string;
  readonly line: number | undefined;
  /** The line that names it, as written. */
  readonly written: string;
  readonly file: string;
}

export function convertSequence(workflow: SourceWorkflow, id: string, scope: ImportScope): WorkflowDraft {
  const { file } = workflow;
  const text = scope.tree.text(file) ?? '';
  const parsed = parseSourceYaml(text, file, scope.notes)?.fields.workflow;
  const fields = isObject(parsed) ? parsed : {};
  const folder = `workflows/${id}/`;
  const usedIds = new Set<string>();
  const lines = sequencesOf(fields, { id, text }).map(({ key: line, written }): Line => {
    // Entries are searched in order: several may have the same name.
    let from = Math.max(0, text.indexOf(`${line}:`));
    const toEntry = (entry: Fields, index: number): Entry => {
      const name = nameOf(entry);
      const [, key = 'step', value = ''] = /^(.*?): (.*)$/.exec(name) ?? [];
      const at = text.indexOf(name, from);
      if (at !== -1) from = at + name.length;
      const title = toTitle(key, value);
      const number = String(index + 1).padStart(2, '0');
      const entryId = addUniqueId(toId(`step-${number}-${toSlug(value)}`), usedIds);
      const entryLine = at === -1 ? undefined : text.slice(0, at).split('\n').length;
      return { id: entryId, fields: entry, title, line: entryLine, written: clip(name, 300), file };
    };
    return { key: line, line: lineOf(text, `${line}:`), entries: written.map(toEntry) };
  });
  const entries = lines.flatMap((line) => line.entries);
  const starts = lines.length > 1 ? toStarts(lines, file) : [];
  const closed = withEnd(entries, [...starts, ...lines.flatMap((line) => toEdges(line.entries))], folder);
  const edges = withLabels(closed.edges);
  const nodes = entries.map((entry) => toNode(entry, edges, { folder, workflow }, scope));
  const first = starts.length > 0 ? [toStartNode(folder)] : [];
  const title = textField(fields, 'name') ?? id;
  const description = textField(fields, 'description');
  const guidance = ['decision_guidance', 'handoff_prompts'].flatMap((key) =>
    isObject(fields[key]) ? [`\n## ${toTitle('', key)}\n\n${toList(fields[key])}\n`] : [],
  );
  scope.notes.add('workflow', 'exact', { file, workflow: id }, `${nodes.length} entries of its sequence.`);
  return {
    id,
    title,
    description,
    origin: workflow,
    folder,
    yaml: '',
    fields: {},
    body: `# ${title}\n\n${description ?? ''}\n${guidance.join('')}`,
    entryNodeId: first[0]?.id ?? entries[0]?.id ?? '',
    nodes: [...first, ...nodes, ...closed.nodes],
    edges,
    droppedMoves: [],
    variables: {},
    sourceFiles: [file],
    files: new Map(),
  };
}

interface Line {
  /** The key of the sequence in the file. */
  readonly key: string;
  readonly line: number | undefined;
  readonly entries: readonly Entry[];
}

/** `sequence`, and sequences with a name: `full_production_sequence`. */
function sequencesOf(
  fields: Fields,
  { id, text }: { id: string; text: string },
): { key: string; written: readonly Fields[] }[] {
  const found = Object.entries(fields).flatMap(([key, value]) => {
    const written = /(?:^|_)sequence$/.test(key) && Array.isArray(value) ? value.filter(isObject) : [];
    return written.length > 0 ? [{ key, written }] : [];
  });
  // Without entries that can be read, the text is one step.
  return found.length > 0 ? found : [{ key: 'sequence', written: [{ step: id, notes: text }] }];
}

function toStarts(lines: readonly Line[], file: string): EdgeDraft[] {
  return lines.flatMap(({ key, line, entries }, index) => {
    const label = key.replace(/_?sequence$/, '').replaceAll('_', ' ') || 'standard';
    const ends = { from: START_ID, to: entries[0]?.id ?? '', label };
    const rest = { isDefault: index === 0, conditionText: `The person wants the sequence "${label}".` };
    return [toEdge(ends, { file, line, text: key }, rest)];
  });
}

/** `prd.md` → `prd`, `create_story` → `create-story`. */
function toSlug(value: string): string {
  return toId(value.replace(/\.\w{2,4}$/, '').replaceAll('_', '-'))
    .toLowerCase()
    .slice(0, 40);
}

/** The key that names an entry, and its value. */
function nameOf(entry: Fields): string {
  const key = ['step', 'creates', 'action', 'validates', 'updates', 'workflow_end'].find(
    (name) => typeof entry[name] === 'string',
  );
  return key === undefined ? 'agent: step' : `${key}: ${String(entry[key])}`;
}

function toTitle(key: string, value: string): string {
  const words = value
    .replaceAll('_', ' ')
    .replace(/-tmpl\b/, '')
    .trim();
  const verb =
    key === 'creates' ? 'Create ' : key === 'validates' ? 'Validate ' : key === 'updates' ? 'Update ' : '';
  const title = verb + words;
  const shown = title.charAt(0).toUpperCase() + title.slice(1);
  return clip(shown, 200);
}

function toEdges(entries: readonly Entry[]): EdgeDraft[] {
  const cycle = entries.find(({ fields }) => fields.repeats !== undefined);
  return entries.flatMap((entry, index): EdgeDraft[] => {
    const next = entries[index + 1];
    const after = entries[index + 2];
    const evidence = (of: Entry) => ({ file: of.file, line: of.line, text: of.written });
    const edges = next
      ? [toEdge({ from: entry.id, to: next.id, label: 'next' }, evidence(next), { isDefault: true })]
      : [];
    const condition = next && textField(next.fields, 'condition');
    if (next && after && (next.fields.optional === true || condition !== undefined)) {
      const why =
        condition === undefined ? `"${next.title}" is optional.` : `Not: ${condition.replaceAll('_', ' ')}`;
      edges.push(
        toEdge({ from: entry.id, to: after.id, label: 'skip' }, evidence(next), { conditionText: why }),
      );
    }
    if (cycle && cycle !== entry && /\brepeat|continue_for_all/i.test(nameOf(entry.fields)))
      edges.push(
        toEdge({ from: entry.id, to: cycle.id, label: 'repeat' }, evidence(entry), {
          conditionText: `Repeats: ${String(cycle.fields.repeats).replaceAll('_', ' ')}`,
        }),
      );
    return edges;
  });
}

const SHOWN = [
  'action',
  'creates',
  'updates',
  'validates',
  'uses',
  'requires',
  'optional_steps',
  'condition',
  'repeats',
] as const;

function toNode(
  { id, fields, title, line, written, file }: Entry,
  edges: readonly EdgeDraft[],
  { folder, workflow }: { folder: string; workflow: SourceWorkflow },
  scope: ImportScope,
): NodeDraft {
  const agent = textField(fields, 'agent');
  const agentId = agent?.split('/').find((name) => scope.tree.has(`${workflow.folder}agents/${name}.md`));
  const outputs = outputsOf(fields);
  for (const path of outputs) scope.notes.add('output', 'inferred', { file, line, text: written }, path);
  const uses = [fields.uses, fields.action].flatMap((value) =>
    typeof value === 'string' ? filesOf(value, workflow, scope) : [],
  );
  const lines = SHOWN.flatMap((key) =>
    fields[key] === undefined ? [] : [`- ${toTitle('', key)}: ${String(fields[key]).replaceAll('_', ' ')}`],
  );
  const files = uses.map((path) => `- Read \`@pkg/${path}\` and follow it.`);
  const notes = withPackagePaths(textField(fields, 'notes') ?? textField(fields, 'note') ?? '', file, scope);
  const who = agent === undefined || agentId !== undefined ? [] : [`- Agents: ${agent}`];
  return {
    ...toPlainNode(id, title, folder),
    type: edges.some(({ from }) => from === id) ? 'step' : 'end',
    outputs,
    agentId: agentId === undefined ? undefined : toId(agentId),
    // The person hands over from agent to agent.
    waits: agent === undefined || !edges.some(({ from }) => from === id) ? undefined : true,
    produces: outputs.length > 0 ? outputs.map((path) => ({ path })) : undefined,
    body: `\n# ${title}\n\n${[...who, ...lines, ...files].join('\n')}\n\n${notes}\n`,
  };
}

/** A document that an entry creates; the notes may name the folder for it. */
function outputsOf({ creates, notes }: Fields): string[] {
  if (typeof creates !== 'string' || !/^[\w-]+\.(?:md|ya?ml)$/.test(creates)) return [];
  const [, folder = 'artifacts'] =
    /(?:\bto|\bin) (?:your |the )?(?:project(?:'s)? )?([\w-]+(?:\/[\w-]+)*)\/ folder/i.exec(
      String(notes ?? ''),
    ) ?? [];
  return [`${folder}/${creates}`];
}

/** Tasks, templates and checklists that a text names without their folder. */
function filesOf(text: string, { folder }: SourceWorkflow, scope: ImportScope): string[] {
  const names = new Set(text.split(/[\s,]+/));
  return scope.tree.paths
    .filter((path) => path.startsWith(folder) && /\/(?:tasks|templates|checklists)\/[^/]+$/.test(`/${path}`))
    .filter((path) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      return names.has(name) || names.has(name.replace(/\.\w+$/, ''));
    })
    .map((path) => scope.toPackagePath(path));
}

function toList(value: unknown): string {
  if (!isObject(value)) return String(value);
  return Object.entries(value)
    .map(
      ([key, inner]) =>
        `- ${key.replaceAll('_', ' ')}: ${Array.isArray(inner) ? inner.map(String).join('; ') : String(inner)}`,
    )
    .join('\n');
}
