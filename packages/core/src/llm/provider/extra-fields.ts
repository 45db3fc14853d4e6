/**
 * Collects unknown fields of a message or tool call, which are sent back to the provider unchanged: signatures,
 * reasoning details, annotations. Field names are untrusted data, including `__proto__`. Pure.
 */
import { isShallow, type JsonRecord } from '../untrusted-json.ts';

export interface ExtraFields {
  /** Adds the unknown fields of one delta and returns their length in characters. */
  add(delta: JsonRecord): number;
  toRecord(): JsonRecord | undefined;
}

/** Fields that are streamed in fragments; for other fields the last value wins. */
const FRAGMENTED = /reason|think|thought/i;

export function createExtraFields(known: ReadonlySet<string>): ExtraFields {
  const fields = new Map<string, unknown>();
  return {
    add(delta) {
      let length = 0;
      for (const name in delta) {
        const value = delta[name];
        if (known.has(name) || isEmpty(value) || !isShallow(value)) continue;
        fields.set(name, FRAGMENTED.test(name) ? join(fields.get(name), value) : value);
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

function join(before: unknown, value: unknown): unknown {
  if (typeof before === 'string' && typeof value === 'string') return before + value;
  if (!Array.isArray(value)) return value;
  const list: unknown[] = Array.isArray(before) ? before : [];
  for (const part of value) list.push(part);
  return list;
}
