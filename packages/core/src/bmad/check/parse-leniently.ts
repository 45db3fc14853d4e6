/**
 * Parses what is readable of a document that its schema rejects, so that validation can continue and report everything at once.
 * Lists keep their length, so that JSON pointers stay valid; a value of the wrong type becomes blank.
 */
import { isObject } from '@crewagent/protocol/json-object';
import type * as z from '@crewagent/protocol/zod';

export function parseLeniently<S extends z.ZodMiniType>(schema: S, value: unknown): z.output<S> {
  return read(schema, value) as z.output<S>;
}

type Schema = z.core.$ZodType;

function read(schema: Schema, value: unknown): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return readObject(def, value);
    case 'array':
      return Array.isArray(value) ? value.map((item) => read(def.element, item)) : [];
    case 'record':
      return isObject(value) ? value : {};
    case 'string':
      return typeof value === 'string' ? value : '';
    case 'boolean':
      return value === true;
    case 'enum':
      return Object.values(def.entries).find((entry) => entry === value) ?? Object.values(def.entries)[0];
    case 'optional':
      return hasKind(def.innerType, value) ? read(def.innerType, value) : undefined;
    case 'default':
      return hasKind(def.innerType, value) ? read(def.innerType, value) : def.defaultValue;
    default:
      return value;
  }
}

function readObject({ shape, catchall }: z.core.$ZodObjectDef, value: unknown): unknown {
  const fields = isObject(value) ? value : {};
  const known = Object.entries(shape).map(([key, schema]) => [key, read(schema, fields[key])]);
  const isLoose = catchall?._zod.def.type === 'unknown';
  return { ...(isLoose ? fields : {}), ...Object.fromEntries(known) };
}

/** Whether an optional value has the type the schema expects. */
function hasKind(schema: Schema, value: unknown): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
    case 'record':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === def.type;
    default:
      return value !== undefined;
  }
}
