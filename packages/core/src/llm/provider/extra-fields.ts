/**
 * Fields of a message or tool call that are unknown to us and go back to the provider as they came: signatures, details of
 * reasoning, annotations. Names are data here, `__proto__` included. Pure.
 */
import { isShallow, type JsonRecord } from '../foreign-json.ts';

export interface ExtraFields {
  /** Takes the fields of one delta but for the known ones; gives back how many characters they have. */
  take(delta: JsonRecord): number;
  toRecord(): JsonRecord | undefined;
}

/** Fields whose deltas are pieces; of any other field the last value counts. */
const COMES_IN_PIECES = /reason|think|thought/i;

export function createExtraFields(known: ReadonlySet<string>): ExtraFields {
  const fields = new Map<string, unknown>();
  return {
    take(delta) {
      let length = 0;
      for (const name in delta) {
        const value = delta[name];
        if (known.has(name) || isEmpty(value) || !isShallow(value)) continue;
        fields.set(name, COMES_IN_PIECES.test(name) ? joined(fields.get(name), value) : value);
        length += typeof value === 'string' ? value.length : JSON.stringify(value).length;
      }
      return length;
    },
    toRecord: () => (fields.size === 0 ? undefined : Object.fromEntries(fields)),
  };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function joined(before: unknown, value: unknown): unknown {
  if (typeof before === 'string' && typeof value === 'string') return before + value;
  if (!Array.isArray(value)) return value;
  const list: unknown[] = Array.isArray(before) ? before : [];
  for (const part of value) list.push(part);
  return list;
}
