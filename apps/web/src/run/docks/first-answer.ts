/** What an answer is before anything was answered, and whether it is one. Nothing is ever answered beforehand. */
import type { Question } from '@crewagent/protocol/tools';

export function firstAnswer({ type }: Question): unknown {
  switch (type) {
    case 'text':
      return '';
    case 'multi':
      return [];
    case 'form':
      return {};
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
      return requiredOf(schema).every((name) => hasValue((value as Record<string, unknown>)[name]));
  }
}

export function requiredOf(schema: Question['schema']): readonly string[] {
  const { required } = schema ?? {};
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== '';
}
