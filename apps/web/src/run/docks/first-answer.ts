/** What an answer is before anything was answered, and whether it is one. Nothing is ever answered beforehand. */
import { isFreeText, SKIPPED } from '@crewagent/protocol/answers';
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

/** It was answered or skipped by the person: what is counted. */
export function isTouched(question: Question, value: unknown): boolean {
  if (question.type !== 'multi' || value === SKIPPED) return isAnswered(question, value);
  return Array.isArray(value) && value.some((chosen) => chosen !== '');
}

/** Nothing chosen is an answer where any number may be chosen. */
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
      const own = Array.isArray(value) ? value.filter((chosen) => !options.includes(chosen as string)) : [];
      return own.every((words) => words === '' || isFreeText(words));
    }
    case 'form':
      return isObject(value) && requiredOf(schema).every((name) => Object.hasOwn(value, name));
  }
}

/** What has no field cannot be asked for; where there are no fields at all, everything is written as JSON. */
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

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A box that is not checked says no as it stands. */
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
