/**
 * A tool's arguments as the JSON Schema a model is shown. It goes with every request, so it says what helps to get a call
 * right and leaves out what does not; everything is enforced all the same.
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

export function toParameters(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema, path }) {
      for (const key of OMITTED_KEYWORDS) delete jsonSchema[key];
      // Every whole number comes with the bounds of the machine; that nothing else is allowed is said once, at the top.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (path.length > 0) delete jsonSchema.additionalProperties;
    },
  });
  return parameters;
}
