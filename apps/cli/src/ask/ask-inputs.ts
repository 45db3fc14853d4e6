/**
 * Asks at the terminal for typed inputs of a workflow that nobody answered yet, and stores the answers. Enter accepts what is
 * shown in brackets.
 */
import { type ResolvedInput, readInputs, type Store } from '@crewagent/core';
import {
  findInputIssue,
  parseInputText,
  toInputsChange,
  toQuestion,
} from '@crewagent/protocol/input-answers';
import type { InputValue } from '@crewagent/protocol/typed-inputs';
import { validationContext } from '../context.ts';
import { describePrompt } from '../print/pending.ts';
import { printWrapped } from '../print/print-wrapped.ts';
import { say } from '../print/texts/say.ts';
import { sanitize, style } from '../terminal.ts';
import { pickAnswer } from './ask-person.ts';
import type { Prompter } from './prompter.ts';

export interface InputsOf {
  readonly package: string;
  readonly workflow?: string | undefined;
  readonly isAll?: boolean | undefined;
  readonly projectPath: string;
}

interface AskOptions {
  readonly store: Store;
  readonly signal?: AbortSignal;
  /** Asks for those with an answer, too. */
  readonly isAgain?: boolean;
  /** Answered for this run, by name. */
  readonly given?: ReadonlyMap<string, unknown>;
}

/** False when the person leaves; nothing is stored then. */
export async function askInputs(
  of: InputsOf,
  { store, signal, isAgain = false, given }: AskOptions,
): Promise<boolean> {
  const { inputs } = await readInputs(of, { store, context: validationContext, now: () => new Date() });
  const asked = inputs.filter(
    ({ input, source }) => !given?.has(input.name) && (isAgain || source === 'default' || source === 'none'),
  );
  if (asked.length === 0) return true;
  printWrapped(`${style('bold', say('inputs.first'))} ${style('dim', say('inputs.once'))}`);
  const { createPrompter } = await import('./prompter.ts');
  const prompter = createPrompter(signal);
  const values: Record<string, InputValue> = {};
  for (const resolved of asked) {
    const value = await askInput(resolved, prompter);
    if (value === undefined) return false;
    values[resolved.input.name] = value;
  }
  await saveInputs(of.projectPath, inputs, values, store);
  printWrapped(style('dim', say('inputs.change', { package: sanitize(of.package) })));
  return true;
}

export async function saveInputs(
  projectPath: string,
  inputs: readonly ResolvedInput[],
  values: Readonly<Record<string, InputValue | null>>,
  store: Store,
): Promise<void> {
  const declared = inputs.map(({ input }) => input);
  const isOfProject = declared.some(({ name, scope }) => scope === 'project' && Object.hasOwn(values, name));
  const project = isOfProject ? await store.projects.open(projectPath, { now: () => new Date() }) : undefined;
  await store.settings.update({ inputs: toInputsChange(declared, values, project?.projectId) });
}

async function askInput(
  { input, value }: ResolvedInput,
  prompter: Prompter,
): Promise<InputValue | undefined> {
  const question = toQuestion(input);
  const { choices = [], type } = input;
  const choiceAt = (index: number): string => choices[index]?.value ?? '';
  printWrapped(...describePrompt(question, style));
  if (value !== undefined) printWrapped(style('dim', `  [${sanitize(toInputText(value), 200)}]`));
  for (;;) {
    const picked = await pickAnswer(question, prompter, toInitial(input, value));
    if (picked === undefined) return undefined;
    let answer: InputValue;
    if (typeof picked === 'string')
      answer = picked.trim() === '' && value !== undefined ? value : parseInputText(input, picked);
    else if (typeof picked.value === 'boolean') answer = picked.value;
    else answer = type === 'multi' ? picked.indexes.map(choiceAt) : choiceAt(picked.indexes[0] ?? 0);
    const issue = findInputIssue(input, answer);
    if (!issue) return answer;
    printWrapped(style('yellow', `  The answer ${issue}.`));
  }
}

/** What the list begins with. */
function toInitial({ choices = [] }: ResolvedInput['input'], value: InputValue | undefined): number[] {
  if (typeof value === 'boolean') return [value ? 0 : 1];
  const values = [value ?? []].flat();
  return choices.flatMap((choice, index) => (values.includes(choice.value) ? [index] : []));
}

export function toInputText(value: InputValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(', ') : value;
}
