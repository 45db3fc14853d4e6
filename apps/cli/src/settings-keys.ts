/**
 * Settings by dotted keys, as typed on the command line: known keys, expected values, changes. Derived from the schema, so
 * that a new setting needs no code here. Pure.
 */
import { CrewError } from '@crewagent/core';
import { settingsSchema } from '@crewagent/protocol/settings';
import * as z from '@crewagent/protocol/zod';

/** JSON Schema of one setting or group of settings. */
interface SettingSchema {
  readonly type?: string;
  readonly anyOf?: readonly SettingSchema[];
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly additionalProperties?: SettingSchema | boolean;
  readonly propertyNames?: { readonly pattern?: string };
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly format?: string;
}

export interface SettingsKey {
  /** Path in the settings; a name that contains dots is one part. */
  readonly path: readonly string[];
  readonly schema: SettingSchema;
}

/** Throws USAGE with the closest keys if the key is unknown. */
export function resolveKey(key: string): SettingsKey {
  const found = walk(settingsRootSchema(), key.split('.'));
  if (found && found.path[0] !== 'schemaVersion') return found;
  const known = listKeys();
  const [head = ''] = key.split('.');
  const near = known.filter((candidate) => candidate.startsWith(`${head}.`) || candidate === head);
  throw new CrewError(
    'USAGE',
    `There is no setting "${key}". Use one of: ${(near.length > 0 ? near : known).join(', ')}.`,
  );
}

/** The value of a typed text; undefined if it cannot be parsed. */
export function parseValue({ schema }: SettingsKey, text: string): unknown {
  if (schema.type === 'string') return text;
  const value = parseJson(text, schema);
  // If a setting has several types, a value of none of the others is a text.
  const isOther = schema.anyOf?.some(({ type }) => type === (Array.isArray(value) ? 'array' : typeof value));
  return schema.anyOf && !(isOther && typeof value !== 'string') ? text : value;
}

export function invalidValueError(key: string, { schema }: SettingsKey, text: string): CrewError {
  return new CrewError('USAGE', `"${key}" must be ${expectation(schema)}, not "${text}".`);
}

/** The change that sets one key, or removes it with null. */
export function toChange(path: readonly string[], value: unknown): Record<string, unknown> {
  return path.reduceRight<unknown>((inner, part) => Object.fromEntries([[part, inner]]), value) as Record<
    string,
    unknown
  >;
}

export function valueAt(settings: unknown, path: readonly string[]): unknown {
  let value = settings;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

/** All values with their keys, in the order of the settings. */
export function flatten(value: unknown, prefix: readonly string[] = []): [key: string, value: unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[prefix.join('.'), value]];
  return Object.entries(value).flatMap(([part, inner]) => flatten(inner, [...prefix, part]));
}

function settingsRootSchema(): SettingSchema {
  return z.toJSONSchema(settingsSchema, { io: 'input' }) as SettingSchema;
}

function walk(schema: SettingSchema, parts: readonly string[]): SettingsKey | undefined {
  const [first, ...others] = parts;
  if (first === undefined) return { path: [], schema };
  const { properties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, first)) {
    const inner = properties[first];
    const found = inner && walk(inner, others);
    return found && { path: [first, ...found.path], schema: found.schema };
  }
  if (typeof additionalProperties !== 'object') return undefined;
  // A name may contain dots: use the shortest one that is followed by a known field, or else all of it.
  for (let length = 1; length <= parts.length; length++) {
    const name = parts.slice(0, length).join('.');
    const found = walk(additionalProperties, parts.slice(length));
    if (found && isName(schema, name)) return { path: [name, ...found.path], schema: found.schema };
  }
  return undefined;
}

function isName({ propertyNames }: SettingSchema, name: string): boolean {
  return propertyNames?.pattern === undefined || new RegExp(propertyNames.pattern).test(name);
}

function listKeys(schema: SettingSchema = settingsRootSchema(), prefix = ''): string[] {
  const { properties = {}, additionalProperties } = schema;
  const named = Object.entries(properties).filter(([name]) => prefix !== '' || name !== 'schemaVersion');
  const keys = named.flatMap(([name, inner]) => listKeys(inner, `${prefix}${name}.`));
  if (typeof additionalProperties === 'object')
    keys.push(...listKeys(additionalProperties, `${prefix}NAME.`));
  return keys.length > 0 ? keys : [prefix.slice(0, -1)];
}

function parseJson(text: string, schema: SettingSchema): unknown {
  if (schema.type === 'boolean' && /^(?:yes|on)$/i.test(text)) return true;
  if (schema.type === 'boolean' && /^(?:no|off)$/i.test(text)) return false;
  try {
    return JSON.parse(text);
  } catch {
    // A comma-separated list is easier to type than JSON.
    return schema.type === 'array' ? text.split(',').map((part) => part.trim()) : undefined;
  }
}

function expectation(schema: SettingSchema): string {
  const { type, minimum, exclusiveMinimum, maximum } = schema;
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  switch (type) {
    case 'integer':
    case 'number': {
      const noun = type === 'integer' ? 'a whole number' : 'a number';
      if (exclusiveMinimum !== undefined) return `${noun} above ${exclusiveMinimum}`;
      if (minimum === undefined || minimum === Number.MIN_SAFE_INTEGER) return noun;
      const isBounded = maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER;
      return isBounded ? `${noun} from ${minimum} to ${maximum}` : `${noun} of at least ${minimum}`;
    }
    case 'boolean':
      return 'true or false';
    case 'array':
      return 'a comma-separated list';
    case 'object':
      return 'a JSON object; set its fields one by one';
    default:
      if (schema.anyOf) return 'a text, true, false, or a JSON list';
      return schema.format === 'uri' ? 'an http or https URL' : 'a non-empty text';
  }
}
