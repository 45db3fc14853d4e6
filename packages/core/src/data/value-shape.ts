/**
 * The outermost shape of a JSON or YAML value, and its description. Pure.
 */
import { counted, toNameList } from './data-summary.ts';

export type ValueShape =
  | { readonly kind: 'array'; readonly items: number; readonly first: ItemShape | undefined }
  | FlatShape;

export type ItemShape = { readonly kind: 'array' } | FlatShape;

type FlatShape =
  | { readonly kind: 'object'; readonly keys: readonly string[] }
  | { readonly kind: ScalarKind };

export type ScalarKind = 'text' | 'number' | 'boolean' | 'null';

export function toShape(value: unknown): ValueShape {
  if (Array.isArray(value)) {
    const first: unknown = value[0];
    return {
      kind: 'array',
      items: value.length,
      first: value.length === 0 ? undefined : Array.isArray(first) ? { kind: 'array' } : toFlatShape(first),
    };
  }
  return toFlatShape(value);
}

function toFlatShape(value: unknown): FlatShape {
  if (typeof value === 'object' && value !== null) return { kind: 'object', keys: Object.keys(value) };
  if (typeof value === 'number' || typeof value === 'bigint') return { kind: 'number' };
  if (typeof value === 'boolean') return { kind: 'boolean' };
  return { kind: value === null || value === undefined ? 'null' : 'text' };
}

const DESCRIPTIONS: Readonly<Record<ScalarKind | 'array', string>> = {
  array: 'an array',
  text: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

/** For a truncated value, describes only what was seen. */
export function describeShape(shape: ValueShape, isWhole: boolean): string {
  const soFar = isWhole ? '' : ' so far';
  switch (shape.kind) {
    case 'object': {
      const { keys } = shape;
      if (keys.length === 0) return isWhole ? 'an object without keys' : 'an object';
      return `an object with ${counted(keys.length, 'key')}${soFar}: ${toNameList(keys)}`;
    }
    case 'array':
      return `an array of ${counted(shape.items, 'item')}${soFar}${describeFirst(shape.first)}`;
    default:
      return DESCRIPTIONS[shape.kind];
  }
}

function describeFirst(first: ItemShape | undefined): string {
  if (!first) return '';
  if (first.kind !== 'object') return `; the first is ${DESCRIPTIONS[first.kind]}`;
  if (first.keys.length === 0) return '; the first is an object without keys';
  return `; keys of the first: ${toNameList(first.keys)}`;
}
