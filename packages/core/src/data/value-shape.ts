/**
 * The outermost shape of a JSON or YAML value, in words. Pure.
 */
import { counted, toNameList } from './data-summary.ts';

export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${counted(value.length, 'item')}${describeFirst(value)}`;
  if (!isObject(value)) return describeScalar(value);
  const keys = Object.keys(value);
  return keys.length === 0
    ? 'an object without keys'
    : `an object with ${counted(keys.length, 'key')}: ${toNameList(keys)}`;
}

function describeFirst([first, ...others]: readonly unknown[]): string {
  if (first === undefined && others.length === 0) return '';
  if (Array.isArray(first)) return '; the first is an array';
  if (!isObject(first)) return `; the first is ${describeScalar(first)}`;
  const keys = Object.keys(first);
  return keys.length === 0
    ? '; the first is an object without keys'
    : `; keys of the first: ${toNameList(keys)}`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function describeScalar(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return 'a number';
  if (typeof value === 'boolean') return 'true or false';
  return value === null || value === undefined ? 'null' : 'a string';
}
