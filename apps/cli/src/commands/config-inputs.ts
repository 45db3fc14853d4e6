/** `crewagent config inputs`: the questions that a package asks once, with the answers of this person and project. */
import { CrewError, openDiskStore, type ResolvedInput, readInputs, type Store } from '@crewagent/core';
import { findInputIssue, parseInputText } from '@crewagent/protocol/input-answers';
import type { InputValue } from '@crewagent/protocol/typed-inputs';
import { askInputs, type InputsOf, saveInputs, toInputText } from '../ask/ask-inputs.ts';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { secureRoot } from '../secure-root.ts';
import { isInteractive, print, sanitize, style } from '../terminal.ts';

interface ConfigInputsOptions {
  readonly project: string;
  readonly workflow?: string;
  readonly set: ReadonlyMap<string, string>;
  readonly unset: readonly string[];
  readonly ask?: true;
  readonly json?: true;
}

export async function configInputs(pkg: string, options: ConfigInputsOptions): Promise<ExitCode> {
  const { project: projectPath, workflow } = options;
  const store = openDiskStore(secureRoot(), undefined, hostProcess().env);
  const of = { package: pkg, workflow, isAll: workflow === undefined, projectPath };
  if (options.ask) {
    if (!isInteractive())
      throw new CrewError('USAGE', 'There is no terminal to ask on. Give answers with --set NAME=VALUE.');
    if (!(await askInputs(of, { store, isAgain: true }))) return EXIT.interrupted;
  }
  const inputs = await read(of, store);
  const values = toValues(inputs, options);
  if (Object.keys(values).length > 0) await saveInputs(projectPath, inputs, values, store);
  const shown = await read(of, store);
  if (options.json)
    print(JSON.stringify({ inputs: shown.map(({ input, ...rest }) => ({ ...input, ...rest })) }));
  else printInputs(shown);
  return EXIT.ok;
}

async function read(of: InputsOf, store: Store): Promise<readonly ResolvedInput[]> {
  const { inputs } = await readInputs(of, { store, context: validationContext, now: () => new Date() });
  return inputs;
}

/** Throws USAGE for a name that is no question, and for a value that is no answer. */
function toValues(
  inputs: readonly ResolvedInput[],
  { set, unset }: ConfigInputsOptions,
): Record<string, InputValue | null> {
  const find = (name: string) => {
    const found = inputs.find(({ input }) => input.name === name);
    if (found) return found.input;
    const known = inputs.map(({ input }) => input.name).join(', ');
    throw new CrewError(
      'USAGE',
      `There is no question "${name}". ${known ? `Use one of: ${known}.` : ''}`.trim(),
    );
  };
  const answers = [...set].map(([name, text]): [string, InputValue] => {
    const input = find(name);
    const value = parseInputText(input, text);
    const issue = findInputIssue(input, value);
    if (issue) throw new CrewError('USAGE', `"${name}" ${issue}, not "${text}".`);
    return [name, value];
  });
  const removed = unset.map((name): [string, null] => [find(name).name, null]);
  return Object.fromEntries<InputValue | null>([...answers, ...removed]);
}

function printInputs(inputs: readonly ResolvedInput[]): void {
  if (inputs.length === 0) print('This package asks no questions.');
  for (const { input, value, source } of inputs) {
    const shown = value === undefined ? style('yellow', 'not answered') : sanitize(toInputText(value), 200);
    print(
      `${style('bold', sanitize(input.name))} = ${shown}  ${style('dim', `${SOURCES[source]}, per ${input.scope}`)}`,
    );
    print(style('dim', `  ${sanitize(input.prompt, 300)}`));
    if (input.choices)
      print(style('dim', `  ${input.choices.map((choice) => sanitize(choice.value)).join(', ')}`));
  }
}

const SOURCES: Readonly<Record<ResolvedInput['source'], string>> = {
  answer: 'your answer',
  known: 'from your settings, account or project',
  default: 'default',
  none: 'no default',
};
