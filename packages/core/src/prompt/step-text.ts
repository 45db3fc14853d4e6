/**
 * The text of a step as it is sent with its node: without the fields of its frontmatter that NODE_BRIEF and PERSONA state. Other
 * fields stay, because the text may refer to them, and fields with variables, whose names the brief may have filled in. Pure.
 */
import { splitFrontmatter } from '../workflow/split-frontmatter.ts';

const STATED: ReadonlySet<string> = new Set([
  'schemaVersion',
  'nodeId',
  'type',
  'title',
  'agentId',
  'inputs',
  'outputs',
  'setsVariables',
  'waits',
  'produces',
  'transitions',
]);

const FIELD = /^([A-Za-z_][\w-]*):/;
const VARIABLE = /\{[\w-]+\}/;

export function toStepText(text: string): string {
  const split = splitFrontmatter(text);
  if (!split.ok) return text;
  const fields = split.yaml
    .split(/^(?=[A-Za-z_][\w-]*:)/m)
    .filter((field) => !STATED.has(FIELD.exec(field)?.[1] ?? '') || VARIABLE.test(field))
    .join('')
    .trim();
  const body = split.body.replace(/^(?:[ \t]*\r?\n)+/, '');
  return fields === '' ? body : `---\n${fields}\n---\n\n${body}`;
}
