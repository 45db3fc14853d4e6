/**
 * Arguments as models write them, in the form that the schema of a tool asks for: other names of a key, JSON in a string, a
 * single value for a list. Only what can be meant in one way; everything else is left to the schema, which rejects it. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { findRepeatedKey, isNestedTooDeep, toStrictJson } from '@crewagent/protocol/json-text';
import { findReservedKey } from '@crewagent/protocol/reserved-key';

type Schema = Readonly<Record<string, unknown>>;

/** `schema`: the JSON Schema of the arguments. */
export function coerceArguments(
  value: Readonly<Record<string, unknown>>,
  schema: Schema,
): Readonly<Record<string, unknown>> {
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
export function renameKeys(
  value: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
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
