/**
 * The setup questions of a module (`module.yaml`) as typed inputs, and the initial values of its workflows: the answers of an
 * installed module, else the defaults.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { type TypedInput, typedInputSchema } from '@crewagent/protocol/typed-inputs';
import type { ImportNotes } from './import-notes.ts';
import type { SourceTree } from './read-source.ts';
import type { SourceModule } from './recognise-source.ts';
import { expandKeys, lineOf } from './resolve-reference.ts';
import { type Fields, parseSourceYaml, textField } from './source-yaml.ts';

/** Set by the runtime at the start of a run, so no value is imported for them. */
export const RUNTIME_VALUES: ReadonlySet<string> = new Set(['user_name', 'project_name', 'date']);

export type ModuleConfig = ReturnType<typeof readModuleConfig>;

export function readModuleConfig(modules: readonly SourceModule[], tree: SourceTree, notes: ImportNotes) {
  const inputs = new Map<string, TypedInput>();
  const raw: Record<string, string> = {};
  // Questions of the core module come first, since other modules use its values.
  const ordered = [...modules].sort((a, b) => Number(b.code === 'core') - Number(a.code === 'core'));
  const answered = readAnswers(modules, tree, notes);
  for (const { questions } of ordered) {
    const text = questions === undefined ? undefined : tree.text(questions);
    if (questions === undefined || text === undefined) continue;
    const parsed = parseSourceYaml(text, questions, notes) ?? { fields: {} };
    for (const [name, question] of Object.entries(parsed.fields)) {
      const written = isObject(question) ? toTypedInput(name, question) : undefined;
      if (!written || inputs.has(name)) continue;
      const line = lineOf(text, `${name}:`);
      const typed = withAnswer(written, answered[name]);
      if (!typedInputSchema.safeParse(typed).success) {
        notes.add('module question', 'dropped', { file: questions, line }, `${name}: not a valid question.`);
        continue;
      }
      const isHome = name === 'output_folder' && answered.output_folder === undefined;
      const input = isHome ? { ...typed, default: ARTIFACTS } : typed;
      if (isHome)
        notes.add(
          'config',
          'inferred',
          { file: questions, line },
          `The default "${String(typed.default)}" became "${ARTIFACTS}", where the runtime expects outputs.`,
        );
      inputs.set(name, input);
      if (typeof input.default === 'string') raw[name] = input.default;
      const isScopeWritten = isObject(question) && question.scope !== undefined;
      notes.add(
        'module question',
        isScopeWritten ? 'exact' : 'inferred',
        { file: questions, line },
        `${name}: asked once per ${input.scope}, type ${input.type}${isScopeWritten ? '' : '; the source has no scope'}.`,
      );
    }
  }
  const keys = { ...raw, ...answered };
  const withHome = { output_folder: ARTIFACTS, ...keys };
  return {
    inputs: [...inputs.values()].map((input) => withFixedDefault(input, withHome, inputs)),
    /** Name → value; paths are relative to the project. */
    values: resolveValues(withHome),
  };
}

/** Fills the names in a default that no question asks for; the others are filled from their answers when a run starts. */
function withFixedDefault(
  input: TypedInput,
  keys: Readonly<Record<string, string>>,
  asked: ReadonlyMap<string, TypedInput>,
): TypedInput {
  if (typeof input.default !== 'string') return input;
  const fixed = Object.fromEntries(Object.entries(keys).filter(([name]) => !asked.has(name)));
  return { ...input, default: expandKeys(input.default, fixed) };
}

function toTypedInput(name: string, question: Fields): TypedInput | undefined {
  const prompt = [question.prompt].flat().filter((line) => typeof line === 'string');
  if (prompt.length === 0) return undefined;
  const choices = toChoices(question['single-select'] ?? question['multi-select']);
  const isPath = textField(question, 'result')?.startsWith('{project-root}/') === true;
  const type = question['multi-select']
    ? 'multi'
    : choices
      ? 'choice'
      : typeof question.default === 'boolean'
        ? 'confirm'
        : isPath
          ? 'path'
          : 'text';
  return {
    name,
    prompt: prompt.join(' '),
    type,
    ...toDefault(question.default),
    choices,
    scope:
      question.scope === 'user' || (question.scope === undefined && PERSONAL.has(name))
        ? 'person'
        : 'project',
  };
}

/** The answer of an installation is the default. */
function withAnswer(input: TypedInput, answer: string | undefined): TypedInput {
  const isText = input.type === 'text' || input.type === 'path';
  const isChoice = input.type === 'choice' && input.choices?.some(({ value }) => value === answer);
  return answer !== undefined && (isText || isChoice) ? { ...input, default: answer } : input;
}

/** Questions about the person, in modules older than `scope`. */
const PERSONAL: ReadonlySet<string> = new Set(['user_name', 'communication_language', 'user_skill_level']);

function toChoices(options: unknown): TypedInput['choices'] {
  if (!Array.isArray(options) || options.length === 0) return undefined;
  return options.flatMap((option: unknown) => {
    if (typeof option === 'string') return [{ value: option, label: option }];
    const value = isObject(option) ? textField(option, 'value') : undefined;
    return value === undefined
      ? []
      : [{ value, label: (isObject(option) && textField(option, 'label')) || value }];
  });
}

function toDefault(value: unknown): Pick<TypedInput, 'default'> {
  if (typeof value === 'string' || typeof value === 'boolean') return { default: value };
  if (typeof value === 'number') return { default: String(value) };
  return Array.isArray(value) ? { default: value.filter((item) => typeof item === 'string') } : {};
}

/** Reads `config.yaml` of installed modules. */
function readAnswers(
  modules: readonly SourceModule[],
  tree: SourceTree,
  notes: ImportNotes,
): Record<string, string> {
  const answers: Record<string, string> = {};
  for (const { config } of modules) {
    const text = config === undefined ? undefined : tree.text(config);
    if (config === undefined || text === undefined) continue;
    for (const [name, value] of Object.entries(parseSourceYaml(text, config, notes)?.fields ?? {}))
      if (typeof value === 'string' || typeof value === 'number') answers[name] = String(value);
    const message = 'Answers from the installation are the initial values of variables.';
    notes.add('config', 'exact', { file: config }, message);
  }
  return answers;
}

/** The folder where the runtime expects outputs. */
const ARTIFACTS = 'artifacts';

function resolveValues(keys: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(keys)
      .filter(([name]) => !RUNTIME_VALUES.has(name))
      .map(([name, value]) => [name, expandKeys(value, keys).replaceAll('{project-root}/', '')]),
  );
}
