/**
 * Parses the JSON arguments of a tool call. The parsed value is both displayed and executed, so ambiguous JSON is
 * rejected. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { findRepeatedKey, isNestedTooDeep, MAX_NESTING } from '@crewagent/protocol/json-text';
import { findReservedKey, RESERVED_KEY } from '@crewagent/protocol/reserved-key';

export type ParsedArguments =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | {
      readonly ok: false;
      readonly code: 'TOOL_ARGS_INVALID_JSON' | 'TOOL_ARGS_INVALID';
      /** Completes a sentence that begins with "The arguments are invalid:". */
      readonly reason: string;
    };

export function parseToolArguments(text: string): ParsedArguments {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message.slice(0, 100) : 'unreadable';
    return {
      ok: false,
      code: 'TOOL_ARGS_INVALID_JSON',
      reason: `they are not valid JSON (${detail}); send one JSON object`,
    };
  }
  if (!isObject(value)) return invalid('they must be one JSON object');
  if (isNestedTooDeep(text))
    return invalid(`they are nested more than ${MAX_NESTING} levels deep; send flatter values`);
  const repeated = findRepeatedKey(text);
  if (repeated !== undefined)
    return invalid(`they have the key "${repeated.slice(0, 60)}" twice; send each key once`);
  if (findReservedKey(value)) return invalid(`they have a key named "${RESERVED_KEY}"; choose another name`);
  return { ok: true, value };
}

function invalid(reason: string): ParsedArguments {
  return { ok: false, code: 'TOOL_ARGS_INVALID', reason };
}

/** Subject of a call for display: the path, node or query in its arguments. */
export function subjectOf(text: string): string | undefined {
  const parsed = parseToolArguments(text);
  if (!parsed.ok) return undefined;
  const { path, nodeId, query } = parsed.value;
  const subject = [path, nodeId, query].find((value) => typeof value === 'string');
  return typeof subject === 'string' && subject !== '' && subject.length <= MAX_SUBJECT_CHARS
    ? subject
    : undefined;
}

const MAX_SUBJECT_CHARS = 200;
