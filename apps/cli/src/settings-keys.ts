/**
 * Settings by dotted keys, as they are typed: which keys there are, what each expects, and how to change one. Works from
 * the schema, so that a new setting needs nothing here. Pure.
 */
import { CrewError } from '@crewagent/core';
import { settingsSchema } from '@crewagent/protocol/settings';

/** What JSON Schema says of one place in the settings. */
interface SettingLocation {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SettingLocation>>;
  readonly additionalProperties?: SettingLocation | boolean;
  readonly propertyNames?: { readonly pattern?: string };
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly format?: string;
}

export interface SettingsKey {
  /** The way through the settings; a name with a dot in it is one part. */
  readonly path: readonly string[];
  readonly location: SettingLocation;
}

/** Throws a sentence, with the closest keys, for one that is none. */
export function resolveKey(key: string): SettingsKey {
  const found = walk(settingsRoute(), key.split('.'));
  if (found && found.path[0] !== 'schemaVersion') return found;
  const known = listKeys();
  const [head = ''] = key.split('.');
  const near = known.filter((candidate) => candidate.startsWith(`${head}.`) || candidate === head);
  throw new CrewError(
    'USAGE',
    `There is no setting "${key}"; there is ${(near.length > 0 ? near : known).join(', ')}.`,
  );
}

/** The value that a typed text means for a key; undefined where it can mean none. */
export function parseValue({ location }: SettingsKey, text: string): unknown {
  return location.type === 'string' ? text : parseJson(text, location);
}

export function misfit(key: string, { location }: SettingsKey, text: string): CrewError {
  return new CrewError('USAGE', `"${key}" must be ${expectation(location)}, not "${text}".`);
}

/** The change that sets, or with null takes away, one key. */
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

function settingsRoute(): SettingLocation {
  return settingsSchema.toJSONSchema({ io: 'input' }) as SettingLocation;
}

function walk(location: SettingLocation, parts: readonly string[]): SettingsKey | undefined {
  const [first, ...rest] = parts;
  if (first === undefined) return { path: [], location };
  const { properties = {}, additionalProperties } = location;
  if (Object.hasOwn(properties, first)) {
    const inner = properties[first];
    const found = inner && walk(inner, rest);
    return found && { path: [first, ...found.path], location: found.location };
  }
  if (typeof additionalProperties !== 'object') return undefined;
  // A name may have dots in it; the shortest one that leaves a known field, or else all of it.
  for (let length = 1; length <= parts.length; length++) {
    const name = parts.slice(0, length).join('.');
    const found = walk(additionalProperties, parts.slice(length));
    if (found && isName(location, name)) return { path: [name, ...found.path], location: found.location };
  }
  return undefined;
}

function isName({ propertyNames }: SettingLocation, name: string): boolean {
  return propertyNames?.pattern === undefined || new RegExp(propertyNames.pattern).test(name);
}

function listKeys(location: SettingLocation = settingsRoute(), prefix = ''): string[] {
  const { properties = {}, additionalProperties } = location;
  const named = Object.entries(properties).filter(([name]) => prefix !== '' || name !== 'schemaVersion');
  const keys = named.flatMap(([name, inner]) => listKeys(inner, `${prefix}${name}.`));
  if (typeof additionalProperties === 'object')
    keys.push(...listKeys(additionalProperties, `${prefix}NAME.`));
  return keys.length > 0 ? keys : [prefix.slice(0, -1)];
}

function parseJson(text: string, location: SettingLocation): unknown {
  if (location.type === 'boolean' && /^(?:yes|on)$/i.test(text)) return true;
  if (location.type === 'boolean' && /^(?:no|off)$/i.test(text)) return false;
  try {
    return JSON.parse(text);
  } catch {
    // A list of words is easier to type with commas.
    return location.type === 'array' ? text.split(',').map((part) => part.trim()) : undefined;
  }
}

function expectation(location: SettingLocation): string {
  const { type, minimum, exclusiveMinimum, maximum } = location;
  if (location.enum) return `one of ${location.enum.join(', ')}`;
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
      return 'a list of words with commas between them';
    case 'object':
      return 'a JSON object; set its fields one by one';
    default:
      return location.format === 'uri' ? 'an http or https address' : 'a text that is not empty';
  }
}
