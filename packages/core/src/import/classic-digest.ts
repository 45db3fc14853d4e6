/**
 * Explains the instruction tags of the classic BMAD engine in terms of this runtime. Only tags that a workflow uses are
 * explained. Pure.
 */
import { type Fields, isFields, textField } from './source-yaml.ts';

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
export function toDigest(instructions: string, fields: Fields): string {
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
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([name, pattern]) => {
    if (!isFields(pattern)) return [];
    const paths = ['sharded', 'sharded_index', 'sharded_single', 'whole'].flatMap((key) => {
      const path = textField(pattern, key);
      return path === undefined ? [] : [`${key.replaceAll('_', ' ')} \`${path}\``];
    });
    const strategy = textField(pattern, 'load_strategy');
    return [`- ${name}: ${paths.join(', ')}${strategy === undefined ? '' : ` (${strategy})`}`];
  });
}
