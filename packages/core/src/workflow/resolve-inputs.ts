/**
 * Values of typed inputs at the start of a run: the stored answer, what the runtime knows of the person and the project, or
 * the default. Pure.
 */
import { findInputIssue, storedAnswer } from '@crewagent/protocol/input-answers';
import type { InputSettings, InputValue, TypedInput } from '@crewagent/protocol/typed-inputs';

export interface ResolvedInput {
  readonly input: TypedInput;
  /** Undefined if there is neither an answer nor a default. */
  readonly value: InputValue | undefined;
  /** `known`: set by the runtime, so nobody is asked. */
  readonly source: 'answer' | 'known' | 'default' | 'none';
}

export interface InputSources {
  readonly answers: InputSettings;
  readonly projectId: string | undefined;
  /** Names that the runtime has a value for; an empty one does not count. */
  readonly known: Readonly<Record<string, string | undefined>>;
}

export function resolveInputs(
  inputs: readonly TypedInput[],
  { answers, projectId, known }: InputSources,
): ResolvedInput[] {
  const raw = inputs.map((input): ResolvedInput => {
    const answer = storedAnswer(input, answers, projectId);
    if (answer !== undefined) return { input, value: answer, source: 'answer' };
    const value = Object.hasOwn(known, input.name) ? known[input.name] : undefined;
    if (value) return { input, value, source: 'known' };
    return { input, value: input.default, source: input.default === undefined ? 'none' : 'default' };
  });
  const texts = new Map(Object.entries(known).filter(([, value]) => value));
  for (const { input, value } of raw) if (typeof value === 'string') texts.set(input.name, value);
  return raw.map((resolved) => {
    const { input, value, source } = resolved;
    if (value === undefined || source === 'known') return resolved;
    const expanded = typeof value === 'string' ? expand(value, texts) : value;
    // A default may be of any type; one that is not a valid answer counts as none.
    return findInputIssue(input, expanded)
      ? { input, value: undefined, source: 'none' }
      : { ...resolved, value: expanded };
  });
}

/** The variables of a run: inputs with a value. */
export function toInputVariables(inputs: readonly ResolvedInput[]): Record<string, InputValue> {
  return Object.fromEntries(
    inputs.flatMap(({ input, value }) => (value === undefined ? [] : [[input.name, value]])),
  );
}

/** Values refer to each other at most this deep, so that a cycle ends. */
const MAX_DEPTH = 8;
const MAX_LENGTH = 4_000;

function expand(text: string, values: ReadonlyMap<string, string | undefined>): string {
  let expanded = text;
  for (let depth = 0; depth < MAX_DEPTH && expanded.length < MAX_LENGTH; depth++) {
    const next = expanded.replaceAll(/\{([\w-]+)\}/g, (written, name: string) => values.get(name) ?? written);
    if (next === expanded) break;
    expanded = next;
  }
  return expanded.slice(0, MAX_LENGTH).replaceAll('{project-root}/', '');
}
