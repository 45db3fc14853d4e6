/**
 * Validates arguments against the JSON Schema of a tool that is not built in.
 */
import { fromJSONSchema, type ZodType } from 'zod';
import type { ParsedArguments, ToolDescription } from './tool-source.ts';

export type ArgumentsCheck = NonNullable<ToolDescription['parse']>;

/** An unsupported schema rejects nothing: the server validates the arguments itself. */
export function createSchemaCheck(parameters: Readonly<Record<string, unknown>>): ArgumentsCheck {
  const schema = readSchema(parameters);
  return (raw): ParsedArguments => {
    const parsed = schema?.safeParse(raw);
    // Arguments are passed on unchanged, without the schema's defaults.
    return parsed?.success === false ? { ok: false, issues: parsed.error.issues } : { ok: true, value: raw };
  };
}

function readSchema(parameters: Readonly<Record<string, unknown>>): ZodType | undefined {
  try {
    return fromJSONSchema({ ...parameters });
  } catch {
    return undefined;
  }
}
