/**
 * Settings by dotted keys, as typed on the command line: known keys, expected values, changes. Derived from the schema, so
 * that a new setting needs no code here. Pure.
 */
import { CrewError } from '@crewagent/core';
import { describeField, type FieldShape } from '@crewagent/protocol/describe-fields';
import { parseJson } from '@crewagent/protocol/json-object';
import { settingsSchema } from '@crewagent/protocol/settings';
import * as z from '@crewagent/protocol/zod';

export interface SettingsKey {
  /** Path in the settings; a name that contains dots is one part. */
  readonly path: readonly string[];
  readonly field: FieldShape;
}

/** Throws USAGE with the closest keys if the key is unknown. */
export function resolveKey(key: string): SettingsKey {
  const root = describeField(settingsSchema);
  const found = walk(root, key.split('.'));
  if (found && found.path[0] !== 'schemaVersion') return found;
  const known = listKeys(root);
  const [head = ''] = key.split('.');
  const near = known.filter((candidate) => candidate.startsWith(`${head}.`) || candidate === head);
  throw new CrewError(
    'USAGE',
    `There is no setting "${key}". Use one of: ${(near.length > 0 ? near : known).join(', ')}.`,
  );
}

/** The value of a typed text: as JSON, else as it is; undefined if it is not valid. */
export function parseValue({ field }: SettingsKey, text: string): unknown {
  const { type, schema } = field;
  const parsed = (type === 'boolean' ? YES_OR_NO[text.toLowerCase()] : undefined) ?? parseJson(text);
  // Comma-separated values are easier to type than JSON.
  const parts = text.split(',').map((part) => part.trim());
  const plain = type === 'list' ? parts : type === 'group' ? parseFields(field, parts) : text;
  return [typeof parsed === 'string' ? text : parsed, plain].find(
    (value) => value !== undefined && z.safeParse(schema, value).success,
  );
}

/** `name=value` for each field of a group. */
function parseFields({ fields = {} }: FieldShape, parts: readonly string[]): unknown {
  const values: Record<string, unknown> = {};
  for (const part of parts) {
    const [name = '', text = ''] = part.split(/=(.*)/s);
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) return undefined;
    values[name] = parseValue({ path: [], field }, text);
  }
  return values;
}

const YES_OR_NO: Readonly<Record<string, boolean>> = { yes: true, on: true, no: false, off: false };

export function invalidValueError(key: string, { field }: SettingsKey, text: string): CrewError {
  return new CrewError('USAGE', `"${key}" must be ${expectation(field)}, not "${text}".`);
}

/** All values with their keys, in the order of the settings. */
export function flatten(value: unknown, prefix: readonly string[] = []): [key: string, value: unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[prefix.join('.'), value]];
  return Object.entries(value).flatMap(([part, inner]) => flatten(inner, [...prefix, part]));
}

function walk(field: FieldShape, parts: readonly string[]): SettingsKey | undefined {
  const [first, ...others] = parts;
  if (first === undefined) return { path: [], field };
  const { type, fields = {}, entry, names } = field;
  const inner = Object.hasOwn(fields, first) ? fields[first] : undefined;
  if (inner) return under(first, walk(inner, others));
  if (type !== 'record' || !entry || !names) return undefined;
  // A name may contain dots: use the shortest one that is followed by a known field, or else all of it.
  for (let length = 1; length <= parts.length; length++) {
    const name = parts.slice(0, length).join('.');
    const found = z.safeParse(names, name).success && walk(entry, parts.slice(length));
    if (found) return under(name, found);
  }
  return undefined;
}

function under(name: string, found: SettingsKey | undefined): SettingsKey | undefined {
  return found && { path: [name, ...found.path], field: found.field };
}

function listKeys({ type, fields = {}, entry }: FieldShape, prefix = ''): string[] {
  if (type === 'record' && entry) return listKeys(entry, `${prefix}NAME.`);
  const keys = Object.entries(fields).filter(([name]) => name !== 'schemaVersion');
  return keys.length === 0
    ? [prefix.slice(0, -1)]
    : keys.flatMap(([name, inner]) => listKeys(inner, `${prefix}${name}.`));
}

function expectation({
  type,
  options = [],
  isWhole,
  least,
  above,
  most,
  isUrl,
  fields = {},
}: FieldShape): string {
  switch (type) {
    case 'choice':
      return `one of ${options.join(', ')}`;
    case 'number': {
      const noun = isWhole ? 'a whole number' : 'a number';
      if (above !== undefined) return `${noun} above ${above}`;
      if (least === undefined) return noun;
      return most === undefined ? `${noun} of at least ${least}` : `${noun} from ${least} to ${most}`;
    }
    case 'boolean':
      return 'true or false';
    case 'list':
      return 'a comma-separated list';
    case 'group':
      return `its fields, such as ${Object.keys(fields)
        .map((name) => `${name}=VALUE`)
        .join(',')}`;
    case 'record':
      return 'a JSON object; set its fields one by one';
    case 'any':
      return 'a text, true, false, or a JSON list';
    case 'text':
      return isUrl ? 'an http or https URL' : 'a non-empty text';
  }
}
