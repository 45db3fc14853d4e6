/** Parses TOML of a source: untrusted, so within limits; dates become texts, and reserved keys are rejected. */
import { findReservedKey, RESERVED_KEY } from '@crewagent/protocol/reserved-key';
import { parse, TomlDate, TomlError } from 'smol-toml';
import { lineOf } from './resolve-reference.ts';
import type { Fields } from './source-yaml.ts';

export type TomlResult =
  | { readonly ok: true; readonly value: Fields }
  | { readonly ok: false; readonly reason: string; readonly line: number };

const MAX_DEPTH = 16;
const MAX_CHARS = 262_144;

export function parseToml(text: string): TomlResult {
  if (text.length > MAX_CHARS) return { ok: false, reason: 'it is longer than the limit', line: 1 };
  try {
    const value = withTextDates(parse(text.replace(/^\uFEFF/, ''), { maxDepth: MAX_DEPTH })) as Fields;
    if (!findReservedKey(value)) return { ok: true, value };
    return {
      ok: false,
      reason: `the key ${RESERVED_KEY} is reserved`,
      line: lineOf(text, RESERVED_KEY) ?? 1,
    };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.split('\n');
    return { ok: false, reason: first.replace(/^Invalid TOML document: /, ''), line: error.line };
  }
}

function withTextDates(value: unknown): unknown {
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(withTextDates);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTextDates(inner)]));
}
