/**
 * Converts classic workflows: a `workflow.yaml` whose instructions are in another file. The tags of the instructions are explained in
 * terms of this runtime.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { convertText, pathKeys, type TextSource, toSegments } from './convert-text.ts';
import type { ImportScope } from './source/import-scope.ts';
import { RUNTIME_VALUES } from './source/module-questions.ts';
import { headingOf, type WorkflowDraft } from './source/package-draft.ts';
import type { SourceWorkflow } from './source/recognise-source.ts';
import { expandKeys, type ReferenceScope, resolveReference } from './source/resolve-reference.ts';
import { type Fields, parseSourceYaml, textField } from './source/source-yaml.ts';

export function convertClassic(workflow: SourceWorkflow, id: string, scope: ImportScope): WorkflowDraft {
  const { tree, notes } = scope;
  const fields = parseSourceYaml(tree.text(workflow.file) ?? '', workflow.file, notes)?.fields ?? {};
  const keys = pathKeys(fields);
  const references = scope.referencesOf(workflow.file, workflow.folder, keys);
  const file = findInstructions(workflow, fields, references);
  const text = file === undefined ? '' : (tree.text(file) ?? '');
  if (file === undefined)
    notes.add(
      'instructions',
      'dropped',
      { file: workflow.file, workflow: id },
      'The instructions are not in the source.',
    );
  const title = headingOf(text, 1) ?? textField(fields, 'name') ?? id;
  const { steps, rest = '' } = toSegments(text, title);
  const head = `# ${title}\n\n${textField(fields, 'description') ?? ''}\n`;
  const source: TextSource = {
    workflow,
    id,
    fields,
    keys,
    file: file ?? workflow.file,
    textLine: 0,
    title,
    yaml: '',
    body: [head, toDigest(text, fields), rest].join('\n'),
    steps,
    variables: toVariables(fields, `@pkg/workflows/${id}`, references, scope),
  };
  return convertText(source, scope);
}

function findInstructions(
  { folder }: SourceWorkflow,
  fields: Fields,
  references: ReferenceScope,
): string | undefined {
  const written = textField(fields, 'instructions');
  const found = written && resolveReference(written, references);
  if (found && found.kind === 'file') return found.path;
  return [`${folder}instructions.md`, `${folder}instructions.xml`].find((path) => references.tree.has(path));
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
function toVariables(fields: Fields, root: string, references: ReferenceScope, scope: ImportScope): Fields {
  const { values } = scope.config;
  const keys = { ...values, ...references.keys };
  const entries = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (typeof value !== 'string' || NON_VARIABLES.has(name) || RUNTIME_VALUES.has(name)) return [];
    const configured = /^\{config_source\}:([\w-]+)$/.exec(value)?.[1];
    if (configured !== undefined) return [[name, values[configured] ?? '']];
    const found = resolveReference(value, references);
    if (found.kind === 'file') return [[name, `@pkg/${scope.toPackagePath(found.path)}`]];
    if (found.kind === 'missing')
      scope.notes.addUnresolved(value, { file: references.file }, `${found.message}.`);
    const path = expandKeys(value, keys).replaceAll('{project-root}/', '');
    return [[name, path.replaceAll('{installed_path}', root)]];
  });
  return { ...Object.fromEntries(entries), installed_path: root };
}

const TAGS: readonly (readonly [tag: string, meaning: string])[] = [
  ['critical', 'A rule that holds for the whole workflow.'],
  ['action', 'Do it. With `if`, only when the condition holds.'],
  ['check', 'Do what is inside only when the condition in `if` holds.'],
  ['ask', 'Ask the person and wait for the answer before you continue.'],
  ['output', 'Say this to the person, with the placeholders filled.'],
  [
    'template-output',
    'Write this section into the output file (or set the variable), show it, and wait until the person agrees. They may ask for a deeper look ([a]), other voices ([p]), to continue ([c]), or to finish the document without further questions ([y]).',
  ],
  ['goto', 'Move along the edge to that step; never continue into it inside this step.'],
  ['invoke-workflow', 'A node of its own calls the other workflow.'],
  ['invoke-task', 'Read the file it names and follow it here, then return to this step.'],
  [
    'invoke-protocol',
    'For `discover_inputs`: load the inputs listed below, sharded folders before whole files.',
  ],
  ['note', 'Background; nothing to do.'],
  ['example', 'Shows the form of a result.'],
];

/** The section of workflow.md that explains the tags; empty if none is used. */
function toDigest(instructions: string, fields: Fields): string {
  const used = TAGS.filter(([tag]) => new RegExp(`<${tag}[\\s>/]`).test(instructions));
  if (used.length === 0) return '';
  const patterns = toPatterns(fields.input_file_patterns);
  return [
    '## How the steps are written',
    '',
    'Each node is one step. Do its parts in the order they are written. `{name}` is a variable of this run, `{{name}}` a value that you fill in.',
    '',
    ...used.map(([tag, meaning]) => `- \`<${tag}>\`: ${meaning}`),
    '',
    ...(patterns.length > 0 ? ['## Inputs to discover', '', ...patterns, ''] : []),
  ].join('\n');
}

function toPatterns(value: unknown): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, pattern]) => {
    if (!isObject(pattern)) return [];
    const paths = ['sharded', 'sharded_index', 'sharded_single', 'whole'].flatMap((key) => {
      const path = textField(pattern, key);
      return path === undefined ? [] : [`${key.replaceAll('_', ' ')} \`${path}\``];
    });
    const strategy = textField(pattern, 'load_strategy');
    return [`- ${name}: ${paths.join(', ')}${strategy === undefined ? '' : ` (${strategy})`}`];
  });
}
