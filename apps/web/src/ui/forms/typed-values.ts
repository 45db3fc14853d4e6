/** Values as typed into a form, and their conversion from and to the values of a schema. Pure. */
import { type FieldShape, fieldAt } from '@crewagent/protocol/describe-fields';
import * as z from '@crewagent/protocol/zod';

/** A switch is a boolean, several choices are a list; anything else is text, of a list or record with one entry per line. */
export type Typed = string | boolean | readonly string[];

/** By the path of the field, such as `prices.input`. */
export type TypedValues = Readonly<Record<string, Typed>>;

/** By the path of the field; each value is a key of its texts. */
export type FieldIssues = Readonly<Record<string, string>>;

export type ParsedField =
  | { readonly kind: 'blank' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'wrong' };

/** The name of a number ends in its unit. */
export function unitOf(path: string): (typeof UNITS)[keyof typeof UNITS] | undefined {
  return UNITS[/(?:Bytes|Ms|Usd|Seconds|Minutes)$/.exec(path)?.[0] as keyof typeof UNITS];
}

/** By the end of a name: a key of the texts, and the stored units per displayed unit, such as 1,024 bytes per KB. */
const UNITS = {
  Bytes: { name: 'kb', factor: 1024 },
  Ms: { name: 'seconds', factor: 1000 },
  Usd: { name: 'usd', factor: 1 },
  Seconds: { name: 'seconds', factor: 1 },
  Minutes: { name: 'minutes', factor: 1 },
} as const;

/** Numbers have all their digits and no grouping: the text can be typed again. */
export function toTyped(value: unknown, factor = 1): Typed {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return String(factor === 1 ? value : Number((value / factor).toFixed(3)));
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' ? value : '';
}

export function parseTyped(field: FieldShape, typed: Typed, factor = 1): ParsedField {
  const value = toValue(field, typed, factor);
  if (value === undefined) return { kind: 'blank' };
  const parsed = z.safeParse(field.schema, value);
  return parsed.success ? { kind: 'value', value: parsed.data } : { kind: 'wrong' };
}

/** All fields of a group with their values; those that are left out are blank. */
export function toTypedValues(shape: FieldShape, value: unknown, prefix = ''): TypedValues {
  return Object.fromEntries(
    Object.entries(shape.fields ?? {}).flatMap(([name, field]): (readonly [string, Typed])[] => {
      const own = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
      const path = `${prefix}${name}`;
      if (field.type === 'group') return Object.entries(toTypedValues(field, own, `${path}.`));
      return [[path, toTyped(own, unitOf(path)?.factor)]];
    }),
  );
}

/** Parses the fields that the group has; others may have been typed before it changed. */
export function parseForm<T>(
  shape: FieldShape,
  typed: TypedValues,
): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly issues: FieldIssues } {
  const entered: Record<string, unknown> = {};
  for (const [path, text] of Object.entries(typed)) {
    const names = path.split('.');
    const field = fieldAt(shape, names);
    const value = field && toValue(field, text, unitOf(path)?.factor);
    if (value !== undefined) setAt(entered, names, value);
  }
  const parsed = z.safeParse(shape.schema, entered);
  if (parsed.success) return { ok: true, value: parsed.data as T };
  const paths = parsed.error.issues.map((issue) => ownerOf(issue.path.map(String), typed));
  return {
    ok: false,
    issues: Object.fromEntries(
      paths.map((path) => [path, typed[path] === undefined || typed[path] === '' ? 'missing' : 'wrong']),
    ),
  };
}

/** Undefined if nothing was typed. Text that is no number, or no record, becomes a value that no schema accepts. */
function toValue({ type }: FieldShape, typed: Typed, factor = 1): unknown {
  if (typeof typed !== 'string') return typed;
  const text = typed.trim();
  if (text === '') return undefined;
  if (type === 'number') return toNumber(text, factor);
  if (type === 'list') return toLines(text);
  return type === 'record' ? toRecord(toLines(text)) : text;
}

/** Digits may be grouped, as numbers are displayed. */
function toNumber(text: string, factor: number): number {
  const digits = text.replace(/(?<=\d)[,\u202f\u00a0_ ](?=\d{3}(?:\D|$))/g, '');
  if (!/^\d+(?:\.\d+)?$/.test(digits) || !Number.isSafeInteger(Math.ceil(Number(digits)))) return Number.NaN;
  return factor === 1 ? Number(digits) : Math.round(Number(digits) * factor);
}

function toLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** One `NAME=value` per line; null if a line has no name or no value. */
function toRecord(lines: readonly string[]): Readonly<Record<string, string>> | null {
  const entries = lines.map((line) => /^([A-Za-z_][\w-]*)\s*=\s*(.+)$/.exec(line));
  if (entries.includes(null)) return null;
  return Object.fromEntries(entries.flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? '']] : [])));
}

function setAt(
  object: Record<string, unknown>,
  [name = '', ...others]: readonly string[],
  value: unknown,
): void {
  if (others.length === 0) object[name] = value;
  else {
    object[name] ??= {};
    setAt(object[name] as Record<string, unknown>, others, value);
  }
}

/** The field that contains this path: an issue may be about one entry of a list. */
function ownerOf(path: readonly string[], typed: TypedValues): string {
  const whole = path.join('.');
  return Object.hasOwn(typed, whole) || path.length <= 1 ? whole : ownerOf(path.slice(0, -1), typed);
}
