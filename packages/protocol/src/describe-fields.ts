/**
 * What a form needs to know of a schema: fields with their types, limits and options. The page renders forms from it, the command
 * line parses typed values with it. Pure.
 */
import * as z from './zod.ts';

export interface FieldShape {
  /** `any`: of several types, or of one that no form knows. */
  readonly type: 'boolean' | 'number' | 'text' | 'choice' | 'list' | 'record' | 'group' | 'any';
  /** Validates a value. */
  readonly schema: z.core.$ZodType;
  readonly isOptional?: true;
  /** What is typed must not be shown. */
  readonly isSecret?: boolean;
  readonly isUrl?: boolean;
  readonly options?: readonly string[];
  readonly isWhole?: boolean;
  readonly least?: number | undefined;
  readonly above?: number | undefined;
  readonly most?: number | undefined;
  readonly examples?: readonly string[] | undefined;
  /** Of a group. */
  readonly fields?: Readonly<Record<string, FieldShape>>;
  /** Of a list or record. */
  readonly entry?: FieldShape;
  /** Of a record: validates a name. */
  readonly names?: z.core.$ZodType;
}

export function describeField(schema: z.core.$ZodType): FieldShape {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const { examples, format, type } = (z.globalRegistry.get(schema) ?? {}) as Meta;
  const known = { schema, ...(examples && { examples }) };
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'prefault':
    case 'catch':
      return { ...describeField(def.innerType), ...known, isOptional: true };
    case 'pipe':
      return { ...describeField(def.in), ...known };
    case 'object':
      return {
        ...known,
        type: 'group',
        fields: Object.fromEntries(
          Object.entries(def.shape).map(([name, field]) => [name, describeField(field)]),
        ),
      };
    case 'record':
      return { ...known, type: 'record', entry: describeField(def.valueType), names: def.keyType };
    case 'array':
      return { ...known, type: 'list', entry: describeField(def.element) };
    case 'enum':
      return { ...known, type: 'choice', options: Object.values(def.entries).map(String) };
    case 'boolean':
      return { ...known, type: 'boolean' };
    case 'number': {
      const isWhole = type === 'integer' || 'format' in def;
      return { ...known, type: 'number', isWhole, ...toLimits(def.checks) };
    }
    case 'string':
      return {
        ...known,
        type: 'text',
        isUrl: 'format' in def && def.format === 'url',
        isSecret: format === 'password',
      };
    default:
      return { ...known, type: 'any' };
  }
}

/** The field at this path; names of a record are parts of it. */
export function fieldAt(shape: FieldShape | undefined, path: readonly string[]): FieldShape | undefined {
  const [first, ...others] = path;
  if (first === undefined || !shape) return shape;
  const { fields = {}, entry } = shape;
  return fieldAt(Object.hasOwn(fields, first) ? fields[first] : entry, others);
}

/** The value at this path; undefined if there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (outer, name) =>
      typeof outer === 'object' && outer !== null && Object.hasOwn(outer, name)
        ? (outer as Record<string, unknown>)[name]
        : undefined,
    value,
  );
}

/** A patch that sets the value at this path, or removes it with null. */
export function toChange(path: readonly string[], value: unknown): Record<string, unknown> {
  const patch = path.reduceRight((inner, name) => Object.fromEntries([[name, inner]]), value);
  return patch as Record<string, unknown>;
}

/** As in JSON Schema. */
interface Meta {
  readonly examples?: readonly string[];
  readonly format?: string;
  readonly type?: string;
}

function toLimits(
  checks: readonly z.core.$ZodCheck<never>[] = [],
): Pick<FieldShape, 'least' | 'above' | 'most'> {
  const defs = checks.map(
    (check) => check._zod.def as z.core.$ZodCheckLessThanDef | z.core.$ZodCheckGreaterThanDef,
  );
  const find = (kind: string, inclusive: boolean): number | undefined =>
    defs.find((def) => def.check === kind && def.inclusive === inclusive)?.value as number | undefined;
  return {
    least: find('greater_than', true),
    above: find('greater_than', false),
    most: find('less_than', true),
  };
}
