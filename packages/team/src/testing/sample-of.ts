/** A small valid input of an endpoint, made from its schema: required fields only. */
import * as z from '@crewagent/protocol/zod';

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly minimum?: number;
}

const ID = '0199a000-0000-7000-8000-000000000000';

/** Values for patterns: the first that matches. */
const TEXTS = [
  ...[
    'sample',
    ID,
    'a'.repeat(64),
    'a'.repeat(43),
    '1',
    '@project/a.md',
    '@project',
    'a@example.com',
    'work',
  ],
  ...['2026-01-31', '/preview/aaaaaaaaaaaaaaaaaaaaaaaa', 'https://example.com'],
];

export function sampleOf(schema: z.ZodMiniType | undefined): Record<string, unknown> {
  if (!schema) return {};
  const sample = toSample(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema);
  const found = SAMPLES.find((more) => schema.safeParse({ ...(sample as object), ...more }).success);
  if (!found) throw new Error(`no sample for ${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }))}`);
  return { ...(sample as Record<string, unknown>), ...found };
}

/** What no schema says. */
const SAMPLES: readonly Record<string, unknown>[] = [
  {},
  { shown: 'a'.repeat(64) },
  { decision: 'no' },
  { base64: '' },
  { hook: { on: ['run.ended'], command: 'a' } },
];

function toSample(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [choice] = schema.anyOf ?? schema.oneOf ?? [];
  if (choice) return toSample(choice);
  if (schema.allOf) return toSample(Object.assign({}, ...schema.allOf) as JsonSchema);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, toSample(schema.properties?.[name] ?? {})]),
      );
    case 'array':
      return [];
    case 'string':
      return toText(schema);
    case 'number':
    case 'integer':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return false;
    default:
      return null;
  }
}

function toText({ pattern, format, minLength = 0 }: JsonSchema): string {
  if (format === 'uuid') return ID;
  if (pattern === undefined) return 'sample'.padEnd(minLength, 'a');
  const fits = new RegExp(pattern, 'u');
  return TEXTS.find((text) => fits.test(text)) ?? 'sample';
}
