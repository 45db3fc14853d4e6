/**
 * Converts a tool's argument schema to the JSON Schema sent to the model. It is part of every request, so keywords that
 * do not help the model are omitted; the full schema is still enforced.
 */
import * as z from '@crewagent/protocol/zod';

const OMITTED_KEYWORDS = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'propertyNames',
  'format',
  'minimum',
] as const;

export function toParameters(schema: z.ZodMiniType): Record<string, unknown> {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema, path }) {
      for (const key of OMITTED_KEYWORDS) delete jsonSchema[key];
      // Integers always get the machine's bounds, and `additionalProperties` is only needed at the top level.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (path.length > 0) delete jsonSchema.additionalProperties;
    },
  });
  return parameters;
}
