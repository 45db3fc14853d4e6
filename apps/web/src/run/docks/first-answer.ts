/** What an answer is before anything was answered, and whether it is one. Nothing is ever answered beforehand. */
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

/** Nothing chosen is an answer where any number may be chosen. */
export function isAnswered({ type, schema }: Question, value: unknown): boolean {
  switch (type) {
    case 'text':
      return typeof value === 'string' && value.trim() !== '';
    case 'choice':
      return typeof value === 'string';
    case 'confirm':
      return typeof value === 'boolean';
    case 'multi':
      return true;
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
