/**
 * Answers to typed inputs: stored ones, typed ones, and whether an input accepts them. Shared by terminal, server and page.
 */
import { parseAnswer } from './answers.ts';
import type { Question } from './tools.ts';
import type { InputSettings, InputValue, TypedInput } from './typed-inputs.ts';

/** The stored answer; undefined if there is none, or none that this input accepts. */
export function storedAnswer(
  input: TypedInput,
  { person, projects }: InputSettings,
  projectId: string | undefined,
): InputValue | undefined {
  const answers =
    input.scope === 'person' ? person : projectId === undefined ? {} : (projects[projectId] ?? {});
  const value = Object.hasOwn(answers, input.name) ? answers[input.name] : undefined;
  return value === undefined || findInputIssue(input, value) ? undefined : value;
}

/** The change of settings that stores these answers; null removes one. */
export function toInputsChange(
  inputs: readonly Pick<TypedInput, 'name' | 'scope'>[],
  values: Readonly<Record<string, InputValue | null>>,
  projectId: string | undefined,
): {
  person: Record<string, InputValue | null>;
  projects?: Record<string, Record<string, InputValue | null>>;
} {
  const of = (scope: TypedInput['scope']): Record<string, InputValue | null> =>
    Object.fromEntries(
      inputs.flatMap(({ name, scope: own }) => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined;
        return own === scope && value !== undefined ? [[name, value]] : [];
      }),
    );
  return {
    person: of('person'),
    ...(projectId === undefined ? {} : { projects: { [projectId]: of('project') } }),
  };
}

/** Why the value is not an answer, as the end of a sentence; undefined if it is valid. */
export function findInputIssue({ type, choices = [] }: TypedInput, value: InputValue): string | undefined {
  const isChoice = (part: unknown): boolean =>
    choices.length === 0 || choices.some((choice) => choice.value === part);
  const named = (): string => `must be ${choices.map((choice) => `"${choice.value}"`).join(' or ')}`;
  switch (type) {
    case 'confirm':
      return typeof value === 'boolean' ? undefined : 'must be yes or no';
    case 'multi':
      return Array.isArray(value) && value.every(isChoice) ? undefined : `${named()}, any number of them`;
    case 'choice':
      return typeof value === 'string' && isChoice(value) ? undefined : named();
    case 'path':
      return typeof value === 'string' && isProjectPath(value)
        ? undefined
        : 'must be a path inside the project';
    case 'text':
      return typeof value === 'string' && value.trim() !== '' ? undefined : 'must not be empty';
  }
}

/** The question as a person is asked it; options are the labels of the choices. */
export function toQuestion({ name, prompt, type, choices }: TypedInput): Question {
  const options = choices?.map(({ label }) => label);
  return { id: name, prompt, type: type === 'path' ? 'text' : type, ...(options ? { options } : {}) };
}

/** Parses a typed answer: a value, a label, its number, or the beginning of one. */
export function parseInputText(input: TypedInput, text: string): InputValue {
  const { choices = [] } = input;
  const toValue = (part: unknown): string => {
    const found = choices.find(({ value, label }) => value === part || label === part);
    return found?.value ?? String(part);
  };
  const trimmed = text.trim();
  if (choices.some(({ value }) => value === trimmed)) return input.type === 'multi' ? [trimmed] : trimmed;
  const answer = parseAnswer(toQuestion(input), trimmed);
  if (Array.isArray(answer)) return answer.map(toValue);
  return typeof answer === 'boolean' ? answer : toValue(answer);
}

/** Relative, and without a way out of the project. */
function isProjectPath(text: string): boolean {
  const path = text.replace(/^(?:\{project-root\}\/|\.\/)/, '');
  return path.trim() !== '' && !/^(?:[/\\~@]|[A-Za-z]:)|\0/.test(path) && !path.split(/[/\\]/).includes('..');
}
