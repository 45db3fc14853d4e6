/**
 * Questions of a server during a call (elicitation), as questions for a person: one for each field of the form. Pure.
 */
import { type Answers, SKIPPED } from '@crewagent/protocol/answers';
import type { Question } from '@crewagent/protocol/tools';
import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';
import { findSecretField } from './secret-fields.ts';

const MAX_FIELDS = 20;
const MAX_OPTIONS = 50;
const MAX_TEXT = 1_000;
const MAX_NAME = 80;
/** The question of a form without fields. */
const CONSENT = 'accept';

interface Field {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly enum?: unknown;
  readonly oneOf?: unknown;
  readonly items?: unknown;
  readonly default?: unknown;
}

/** The field of a form that looks like a secret, as the server calls it. Such a form is declined. */
export function findSecret({ message, requestedSchema }: ElicitRequestFormParams): string | undefined {
  const fields = requestedSchema.properties as Readonly<Record<string, Field>>;
  const isTyped = (field: Field): boolean => field.type !== 'boolean' && optionsOf(field) === undefined;
  const found = findSecretField({ message, fields }, isTyped);
  return found === undefined ? undefined : toPlain(found).slice(0, MAX_NAME);
}

/** Undefined for a form that cannot be asked. Each question says that these are the words of the server. */
export function toQuestions(
  server: string,
  { message, requestedSchema }: ElicitRequestFormParams,
): Question[] | undefined {
  const fields = Object.entries(requestedSchema.properties as Readonly<Record<string, Field>>);
  if (fields.length > MAX_FIELDS || fields.some(([name]) => name === '')) return undefined;
  const words = toPlain(message);
  const intro = `The MCP server "${server}" asks: ${words}`;
  if (fields.length === 0)
    return [
      { id: CONSENT, prompt: intro, type: 'confirm', source: { server, message: words, label: words } },
    ];
  return fields.map(([id, field]) => {
    const label = [field.title ?? id, field.description]
      .filter((text) => typeof text === 'string')
      .join(': ');
    const byDefault = field.default === undefined ? '' : `\n(default: ${JSON.stringify(field.default)})`;
    const options = optionsOf(field)?.map(({ shown }) => shown);
    const type =
      field.type === 'boolean' ? 'confirm' : options ? (field.type === 'array' ? 'multi' : 'choice') : 'text';
    const shown = toPlain(`${label}${byDefault}`);
    return {
      id,
      prompt: `${intro}\n${shown}`,
      type,
      source: { server, message: words, label: shown },
      ...(options ? { options } : {}),
    };
  });
}

/** The SDK adds defaults of skipped fields. Skipping every question, or denying a form without fields, declines. */
export function toElicitResult({ requestedSchema }: ElicitRequestFormParams, answers: Answers): ElicitResult {
  const fields = requestedSchema.properties as Readonly<Record<string, Field>>;
  if (Object.keys(fields).length === 0)
    return answers[CONSENT] === true ? { action: 'accept', content: {} } : { action: 'decline' };
  const content = Object.entries(answers).flatMap(([id, value]) => {
    const field = Object.hasOwn(fields, id) ? fields[id] : undefined;
    return field === undefined || value === SKIPPED ? [] : [[id, toValue(field, value)] as const];
  });
  return content.length === 0
    ? { action: 'decline' }
    : { action: 'accept', content: Object.fromEntries(content) };
}

type FieldValue = string | number | boolean | string[];

function toValue(field: Field, value: unknown): FieldValue {
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((one) => toConstant(field, String(one)));
  const text = String(value);
  if (
    (field.type === 'number' || field.type === 'integer') &&
    text.trim() !== '' &&
    Number.isFinite(Number(text))
  )
    return Number(text);
  return field.type === 'array' ? [toConstant(field, text)] : toConstant(field, text);
}

function toConstant(field: Field, shown: string): string {
  return optionsOf(field)?.find((option) => option.shown === shown)?.value ?? shown;
}

interface Option {
  readonly value: string;
  readonly shown: string;
}

/** Of `enum`, of `oneOf` with titles, and of both in the items of a list. */
function optionsOf(field: Field): readonly Option[] | undefined {
  const {
    enum: values,
    oneOf,
    anyOf,
  } = (field.type === 'array' ? field.items : field) as {
    readonly enum?: unknown;
    readonly oneOf?: unknown;
    readonly anyOf?: unknown;
  };
  const titled = oneOf ?? anyOf;
  const list: readonly unknown[] = Array.isArray(values) ? values : Array.isArray(titled) ? titled : [];
  const options = list.slice(0, MAX_OPTIONS).flatMap((one): Option[] => {
    if (typeof one === 'string') return one === '' ? [] : [{ value: one, shown: toPlain(one) }];
    const { const: value, title = value } = (one ?? {}) as {
      readonly const?: unknown;
      readonly title?: unknown;
    };
    return typeof value === 'string' && typeof title === 'string' ? [{ value, shown: toPlain(title) }] : [];
  });
  return options.length > 0 ? options : undefined;
}

/** Without control characters and invisible characters. */
function toPlain(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, ' ').slice(0, MAX_TEXT);
}
