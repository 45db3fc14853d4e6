/**
 * Variables that a person gives to a new run: those of a file, and those written as text. Text for a typed input is an answer to it; other
 * text is JSON if it is JSON.
 */
import { readFile } from 'node:fs/promises';
import { findInputIssue, parseInputText } from '@crewagent/protocol/input-answers';
import type { InputValue, TypedInput } from '@crewagent/protocol/typed-inputs';
import { CrewError } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';

export interface GivenVariables {
  /** A YAML or JSON file with names and values. */
  readonly file?: string | undefined;
  /** Over those of the file. */
  readonly texts?: ReadonlyMap<string, string> | undefined;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

const NAME = /^[A-Za-z_][\w-]*$/;

/** Throws USAGE for a name that is none, and for a value that its input does not accept. */
export async function toVariables(
  { file, texts = new Map(), values = {} }: GivenVariables,
  inputs: readonly TypedInput[],
): Promise<Record<string, unknown>> {
  const typed = new Map(inputs.map((input) => [input.name, input]));
  const given = new Map<string, unknown>([
    ...(file === undefined ? [] : Object.entries(await readVariables(file))),
    ...Object.entries(values),
    ...[...texts].map(([name, text]): [string, unknown] => {
      const input = typed.get(name);
      return [name, input ? parseInputText(input, text) : parseText(text)];
    }),
  ]);
  for (const [name, value] of given) {
    if (!NAME.test(name)) throw new CrewError('USAGE', `"${name}" is not the name of a variable.`);
    const input = typed.get(name);
    const issue = input && findInputIssue(input, value as InputValue);
    if (issue) throw new CrewError('USAGE', `"${name}" ${issue}, not ${JSON.stringify(value)}.`);
  }
  return Object.fromEntries(given);
}

async function readVariables(file: string): Promise<Record<string, unknown>> {
  const text = await withDiskErrors(`"${file}" could not be read`, () => readFile(file, 'utf8'));
  const { parseFullYaml } = await import('../workflow/full-yaml.ts');
  const yaml = parseFullYaml(text);
  if (yaml.ok) return yaml.value;
  throw new CrewError('USAGE', `"${file}" has no names with values: line ${yaml.line - 1}: ${yaml.reason}.`);
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
