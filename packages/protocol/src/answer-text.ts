/** A person's answer to a question as text for readers: options in a row, fields of a form by their titles. */
import { SKIPPED } from './answers.ts';
import { isObject, textOf } from './json-object.ts';
import type { Question } from './tools.ts';

/** In the language of the reader. */
export interface AnswerWords {
  readonly yes: string;
  readonly no: string;
  readonly skipped: string;
  readonly empty: string;
}

export function toAnswerText(
  { schema }: Pick<Question, 'schema'>,
  answer: unknown,
  words: AnswerWords,
): string {
  if (!isObject(answer)) return toValueText(answer, words);
  const properties = isObject(schema?.properties) ? schema.properties : {};
  const titleOf = (name: string): string => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return (isObject(property) ? textOf(property.title) : undefined) ?? name;
  };
  const lines = Object.entries(answer).map(
    ([name, value]) => `${titleOf(name)}: ${toValueText(value, words)}`,
  );
  return lines.join('\n') || words.empty;
}

function toValueText(value: unknown, words: AnswerWords): string {
  if (value === SKIPPED) return words.skipped;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'string') return value || words.empty;
  if (Array.isArray(value)) return value.map((part) => toValueText(part, words)).join(', ') || words.empty;
  return JSON.stringify(value) ?? words.empty;
}
