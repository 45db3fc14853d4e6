/** Initial answers, and whether an answer is complete. Nothing is preselected. */
import { isFreeText, SKIPPED } from '@crewagent/protocol/answers';
import { isObject } from '@crewagent/protocol/json-object';
import type { Question } from '@crewagent/protocol/tools';

export function firstAnswer({ type, schema }: Question): unknown {
  switch (type) {
    case 'text':
      return '';
    case 'multi':
      return [];
    case 'form':
      return firstForm(schema);
    case 'choice':
    case 'confirm':
      return undefined;
  }
}

/** The user answered or skipped it. An empty selection is no answer: to choose none of the options is to skip the question. */
export function isAnswered({ type, schema, options = [] }: Question, value: unknown): boolean {
  if (value === SKIPPED) return true;
  switch (type) {
    case 'text':
      return typeof value === 'string' && value.trim() !== '';
    case 'choice':
      return options.includes(value as string) || isFreeText(value);
    case 'confirm':
      return typeof value === 'boolean' || isFreeText(value);
    case 'multi': {
      const chosen = Array.isArray(value) ? value.filter((text) => text !== '') : [];
      return (
        chosen.length > 0 && chosen.every((text) => options.includes(text as string) || isFreeText(text))
      );
    }
    case 'form':
      return isObject(value) && requiredOf(schema).every((name) => Object.hasOwn(value, name));
  }
}

/** A question that says so may stay empty; it is skipped then. Models say it in the text: questions have no field for it. */
export function isOptional({ prompt }: Pick<Question, 'prompt'>): boolean {
  return /\boptional\b|可选|选填/i.test(prompt);
}

/** Properties without a field cannot be required; without any fields the whole form is written as JSON. */
export function requiredOf(schema: Question['schema']): readonly string[] {
  const { required } = schema ?? {};
  const properties = propertiesOf(schema);
  const isAsked = (name: unknown): name is string =>
    typeof name === 'string' && (Object.keys(properties).length === 0 || Object.hasOwn(properties, name));
  return Array.isArray(required) ? required.filter(isAsked) : [];
}

export function propertiesOf(schema: Question['schema']): Readonly<Record<string, unknown>> {
  const { properties } = schema ?? {};
  return isObject(properties) ? properties : {};
}

/** A required checkbox that is off counts as no. */
function firstForm(schema: Question['schema']): Readonly<Record<string, unknown>> {
  const properties = propertiesOf(schema);
  const isBox = (name: string): boolean => {
    const property = properties[name];
    return isObject(property) && property.type === 'boolean';
  };
  return Object.fromEntries(
    requiredOf(schema)
      .filter(isBox)
      .map((name) => [name, false]),
  );
}
