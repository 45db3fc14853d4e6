import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases } from '../testing/kill-points.ts';
import { createToolRig, type ToolRig } from '../testing/rigs/tool-rig.ts';
import { SAMPLE_STATE } from '../testing/sample-run.ts';

type Schema = Readonly<Record<string, unknown>>;

const PROJECT = {
  'README.md': '# Readme\n\nOne line.\nAnother line.\n',
  'docs/notes.md': `---\ntitle: Notes\n---\n${'A line of notes.\n'.repeat(40)}`,
  'data.bin': Buffer.from([0, 1, 2, 255]),
  'empty.txt': '',
};

/** Values that models send by mistake and that break careless code. */
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    ' ',
    '\0',
    '\ud800',
    '\u202e',
    '~',
    '..',
    '../../etc/passwd',
    '/etc/passwd',
    '@project',
    '@pkg/',
    '@state/workflow.md',
    '@state/../logs/execution.jsonl',
    '@project/README.md/x',
    'C:\\x',
    '(((((',
    '(a*)*b',
    '[[:alpha:]',
    '**/{a,b',
    '__proto__',
    -1,
    0,
    1e308,
    Number.MAX_SAFE_INTEGER,
    2 ** 53,
    -0.5,
    [],
    {},
    [[]],
    { __proto__: null, toString: 1 },
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }).map((text) => text.repeat(500)),
  fc.integer(),
  fc.jsonValue({ maxDepth: 6 }),
  fc.integer({ min: 60, max: 3_000 }).map((depth) => nest(depth)),
  fc
    .integer({ min: 100, max: 3_000 })
    .map((count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, index]))),
);

function nest(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const path = fc.constantFrom(
  'README.md',
  '@project/docs/notes.md',
  '@project/new/file.md',
  '@project/data.bin',
  '@project/empty.txt',
  '@state/workflow.md',
  '@pkg/steps/step-01.md',
  '@project/docs',
  'artifacts/a.md',
);
const text = fc.constantFrom(
  'One line.',
  'A line of notes.',
  '# New\n',
  '@@ -1,1 +1,1 @@\n-# Readme\n+# Read\n',
  '@@ -9007199254740,1 +1,1 @@\n-x\n+y\n',
  '@@ -0,0 +500,1 @@\n+x\n',
  SAMPLE_STATE,
  SAMPLE_STATE.replace('currentNodeId: ""', 'currentNodeId: decide-02'),
  '2026-01-31T09:30:00Z',
  'step-01',
  'decide-02',
  'next',
  'complete',
  'x'.repeat(5_000),
);

const STRINGS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  path,
  nodeId: fc.constantFrom('step-01', 'decide-02', 'end-99'),
  decidedAt: fc.constantFrom('2026-01-31T09:30:00Z'),
  next: fc.constantFrom('decide-02', 'end-99'),
  globs: fc.constantFrom('*.md', '**/*', '!docs/**'),
  query: fc.constantFrom('line', '# R', '.', '(o|n)e*', '\\s'),
  type: fc.constantFrom('text', 'choice', 'confirm'),
};

/** A value that fits the tool's schema, occasionally replaced by another one. */
function valueFor(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: fitting(schema, name), weight: 60 }, { arbitrary: hostile, weight: 1 });
}

function fitting(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return fc.oneof(...choices.map((choice) => valueFor(choice as Schema, name)));
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (schema.type) {
    case 'string':
      return STRINGS[name] ?? fc.oneof(text, fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }));
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = 60 } = schema as { minimum?: number; maximum?: number };
      return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 60) });
    }
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueFor((schema.items ?? {}) as Schema, name), { maxLength: 6 });
    case 'object':
      return objectFor(schema);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function objectFor(schema: Schema): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>).filter(
    // No valid value can be generated.
    ([name]) => name !== 'ifMatchSha256',
  );
  const required = (schema.required ?? []) as string[];
  const record = fc.record(
    Object.fromEntries(properties.map(([name, property]) => [name, valueFor(property, name)])),
    { requiredKeys: required },
  );
  const more = schema.additionalProperties;
  if (typeof more !== 'object' || more === null) return record;
  const extra = fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), valueFor(more as Schema), {
    maxKeys: 5,
  });
  return fc.tuple(record, extra).map(([known, others]) => ({ ...known, ...others }));
}

/** The JSON text: complete, truncated, or with text inserted in the middle. */
function asText(value: unknown, damage: number): string {
  const whole = JSON.stringify(value) ?? 'null';
  if (damage > 3) return whole;
  const index = Math.floor((whole.length * damage) / 4);
  return damage % 2 === 0
    ? whole.slice(0, index)
    : `${whole.slice(0, index)},"path":"x"${whole.slice(index)}`;
}

describe('arbitrary arguments', () => {
  it.each([false, true])(
    '[T46] [T20] are answered by every tool, with strict state %s',
    async (strictState) => {
      const offered = (await openRig(strictState)).host.offered();
      expect(offered.length).toBeGreaterThan(5);
      const call = fc.oneof(
        ...offered.map(({ name, parameters }) =>
          fc.tuple(fc.constant(name), valueFor(parameters as Schema), fc.nat({ max: 40 })),
        ),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 8 }), async (calls) => {
          const rig = await openRig(strictState);
          for (const [name, value, damage] of calls) {
            const outcome = await rig.outcome(name, asText(value, damage));
            if (outcome.kind !== 'done' || outcome.result.ok) continue;
            expect(outcome.result.error).not.toMatchObject({ code: 'E_INTERNAL' });
            expect(outcome.content.length).toBeLessThan(200_000);
          }
          expect(rig.bugs).toEqual([]);
          // Whatever was called, the run can continue from the files on disk.
          await rig.gate.read();
          expect(await readFile(join(rig.pkg, 'steps/step-01.md'), 'utf8')).toBe('# Step\n');
        }),
        cases(25),
      );
    },
  );
});

function openRig(strictState: boolean): Promise<ToolRig> {
  return createToolRig({ policy: { strictState }, project: PROJECT });
}
