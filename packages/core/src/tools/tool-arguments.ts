/**
 * Parses and validates the arguments of a tool call. The parsed value is both displayed and executed, so ambiguous JSON is rejected.
 * Arguments as models write them are converted to the form that the schema asks for: other names of a key, JSON in a string, a single
 * value for a list. Only what can be meant in one way; everything else is left to the schema, which rejects it.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { findRepeatedKey, isNestedTooDeep, MAX_NESTING, toStrictJson } from '@crewagent/protocol/json-text';
import { findReservedKey, RESERVED_KEY } from '@crewagent/protocol/reserved-key';
import type { ToolFailure } from '@crewagent/protocol/tools';
import { failure } from './tool.ts';
import type { ArgumentIssue, ToolDescription } from './tool-source.ts';

/** `reason` completes a sentence that begins with "The arguments are invalid:". */
export function parseToolArguments(text: string) {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message.slice(0, 100) : 'unreadable';
    return invalid(`they are not valid JSON (${detail}); send one JSON object`, 'TOOL_ARGS_INVALID_JSON');
  }
  if (!isObject(value)) return invalid('they must be one JSON object');
  if (isNestedTooDeep(text))
    return invalid(`they are nested more than ${MAX_NESTING} levels deep; send flatter values`);
  const repeated = findRepeatedKey(text);
  if (repeated !== undefined)
    return invalid(`they have the key "${repeated.slice(0, 60)}" twice; send each key once`);
  if (findReservedKey(value)) return invalid(`they have a key named "${RESERVED_KEY}"; choose another name`);
  return { ok: true, value } as const;
}

function invalid(reason: string, code: 'TOOL_ARGS_INVALID_JSON' | 'TOOL_ARGS_INVALID' = 'TOOL_ARGS_INVALID') {
  return { ok: false, code, reason } as const;
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

/** The value, or a failure that tells the model what is wrong. */
export async function readArguments(
  tool: ToolDescription,
  call: { readonly arguments: string; readonly isCutOff?: boolean },
): Promise<{ readonly value: unknown } | { readonly failure: ToolFailure }> {
  const parsed = parseToolArguments(call.arguments);
  if (!parsed.ok) {
    const reason =
      call.isCutOff && parsed.code === 'TOOL_ARGS_INVALID_JSON'
        ? 'your reply was cut off at its length limit; write the content in parts with several calls'
        : parsed.reason;
    return { failure: failure(parsed.code, `The arguments of "${tool.name}" are invalid: ${reason}.`) };
  }
  const schema = tool.checkedSchema?.() ?? tool.parameters();
  const parse = tool.parse ?? (await createSchemaCheck(schema));
  const read = parse(parsed.value);
  if (read.ok) return read;
  const coerced = parse(coerceArguments(parsed.value, schema));
  if (coerced.ok) return coerced;
  // What is left to fix: an error about a key that was understood would cost a turn.
  const problems = coerced.issues.slice(0, 5).map(describeIssue);
  const message = `The arguments of "${tool.name}" are invalid: ${problems.join('; ')}.`;
  return { failure: failure('TOOL_ARGS_INVALID', message, { expected: schema }) };
}

/** For a tool that is not built in. An unsupported schema rejects nothing: the server validates the arguments itself. */
async function createSchemaCheck(parameters: Fields): Promise<NonNullable<ToolDescription['parse']>> {
  // Loaded lazily: few runs have such a tool, and the schema checker is large.
  const { fromJSONSchema } = await import('zod');
  let schema: ReturnType<typeof fromJSONSchema>;
  try {
    schema = fromJSONSchema({ ...parameters });
  } catch {
    return (value) => ({ ok: true, value });
  }
  return (value) => {
    const parsed = schema.safeParse(value);
    // Arguments are passed on unchanged, without the schema's defaults.
    return parsed.success ? { ok: true, value } : { ok: false, issues: parsed.error.issues };
  };
}

/** Limits names and messages that the model itself supplied. */
const MAX_ISSUE_CHARS = 200;

function describeIssue(issue: ArgumentIssue): string {
  const field = issue.path.map(String).join('.') || 'arguments';
  return `${field.slice(0, MAX_ISSUE_CHARS)}: ${issue.message.replace(/^Invalid input: /, '').slice(0, MAX_ISSUE_CHARS)}`;
}

type Fields = Readonly<Record<string, unknown>>;

/** `schema`: the JSON Schema of the arguments. */
export function coerceArguments(value: Fields, schema: Fields): Fields {
  const coerced = coerce(value, schema);
  return isObject(coerced) ? coerced : value;
}

function coerce(given: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return given;
  const types = [schema.type].flat();
  const value = typeof given === 'string' && !types.includes('string') ? fromText(given, types) : given;
  if (types.includes('array')) {
    const list = !Array.isArray(value) && isItem(value, schema.items) ? [value] : value;
    return Array.isArray(list) ? list.map((item: unknown) => coerce(item, schema.items)) : list;
  }
  const { properties } = schema;
  if (!isObject(value) || !isObject(properties)) return value;
  const renamed = renameKeys(value, properties);
  return Object.fromEntries(
    Object.entries(renamed).map(([key, part]) => [key, coerce(part, properties[key])]),
  );
}

function fromText(text: string, types: readonly unknown[]): unknown {
  const trimmed = text.trim();
  if (types.includes('boolean') && /^(?:true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  const isNumber = types.includes('number') || types.includes('integer');
  if (isNumber && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(trimmed)) return Number(trimmed);
  const opening = { '{': 'object', '[': 'array' }[trimmed.charAt(0)];
  return types.includes(opening) || (opening === 'object' && types.includes('array'))
    ? (parseJson(trimmed) ?? text)
    : text;
}

/** The same JSON is accepted as in arguments themselves. */
function parseJson(text: string): unknown {
  const json = toStrictJson(text);
  if (isNestedTooDeep(json)) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return findRepeatedKey(json) === undefined && !findReservedKey(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isItem(value: unknown, schema: unknown): boolean {
  if (!isObject(schema)) return false;
  return schema.type === 'object' ? isObject(value) : schema.type === 'string' && typeof value === 'string';
}

/** Other names that models know from other tools. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  path: ['file_path', 'filepath', 'file', 'filename', 'file_name', 'dir', 'directory', 'folder'],
  content: ['text', 'contents'],
  query: ['pattern'],
  section: ['heading'],
  operation: ['op'],
  find: ['old', 'old_string', 'old_str', 'old_text', 'search'],
  replace: ['new', 'new_string', 'new_str', 'new_text', 'replacement'],
  heading: ['section'],
  nodeId: ['node', 'current_node', 'current_node_id'],
  next: ['next_node', 'next_node_id'],
};

/** A key that the tool does not have gets the name that is missing, if it can be meant by no other key. */
export function renameKeys(value: Fields, properties: Fields): Fields {
  const renamed = { ...value };
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
  for (const name of Object.keys(properties)) {
    if (Object.hasOwn(value, name)) continue;
    const known = [name, ...(OTHER_NAMES[name] ?? [])].map(toKey);
    const [key, ...others] = unknown.filter((other) => known.includes(toKey(other)));
    if (key === undefined || others.length > 0) continue;
    renamed[name] = value[key];
    delete renamed[key];
  }
  return renamed;
}

/** The same for `filePath`, `file_path` and `file-path`. */
function toKey(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}
