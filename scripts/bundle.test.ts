import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as json from '../packages/protocol/src/json-schemas.ts';
import * as settings from '../packages/protocol/src/settings.ts';
import * as z from '../packages/protocol/src/zod.ts';
import { bundle } from './bundle.mjs';

const root = join(import.meta.dirname, '..');

let folder: string;
let load: NodeJS.Require;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crewagent-test-bundle-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
  const counter = join(folder, 'counter.ts');
  writeFileSync(
    counter,
    'export let count = 0; export const add = () => { count++; }; export { count as other };',
  );
  const zod = JSON.stringify(join(root, 'packages/protocol/src/zod.ts'));
  writeFileSync(join(folder, 'zod.ts'), `export * as z from ${zod};`);
  writeFileSync(join(folder, 'first.ts'), `export { add, count } from './counter.ts';`);
  writeFileSync(join(folder, 'second.ts'), `export { add, other } from './counter.ts';`);
  await bundle(
    {
      json: 'packages/protocol/src/json-schemas.ts',
      settings: 'packages/protocol/src/settings.ts',
      zod: join(folder, 'zod.ts'),
      first: join(folder, 'first.ts'),
      second: join(folder, 'second.ts'),
    },
    join(folder, 'dist'),
    { format: 'cjs' },
  );
  load = createRequire(join(folder, 'dist', 'any.js'));
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a bundle for Node', () => {
  it('has schemas that describe the same documents, although they are set up when they are used', () => {
    const built = load('./json.js') as typeof json;
    expect(built.toJsonSchemas()).toEqual(json.toJsonSchemas());
  });

  it('has schemas that accept, complete and reject the same values', () => {
    const built = load('./settings.js') as typeof settings;
    for (const value of [
      {},
      { language: 'zh-CN', limits: { maxTurns: 3 } },
      { models: { a: { model: 'm', baseUrl: 'ftp://x', prices: { input: -1, output: 1 } } } },
      { limits: { maxTurns: 'many' }, unknown: true },
      { mcp: { servers: { s: { command: '' } } }, tools: { approval: 'never' } },
      null,
    ])
      expect(outcomeOf(built.settingsSchema, value)).toEqual(outcomeOf(settings.settingsSchema, value));
  });

  it('has schemas with all their properties, whichever is read first', () => {
    const built = load('./zod.js') as { z: typeof z };
    const expected = createSchemas(z);
    // The first schema of a class is set up at once.
    createSchemas(built.z);
    for (const [index, schema] of expected.entries()) {
      for (const key of Object.getOwnPropertyNames(schema)) {
        const value = Reflect.get(createSchemas(built.z)[index] ?? {}, key) as unknown;
        expect(`${schema.type} ${key} ${describeValue(value)}`).toBe(
          `${schema.type} ${key} ${describeValue(Reflect.get(schema, key))}`,
        );
      }
    }
  });

  it('has exports that follow a variable that is assigned again', () => {
    const [first, second] = [load('./first.js'), load('./second.js')] as {
      count?: number;
      other?: number;
      add(): void;
    }[];
    first?.add();
    second?.add();
    expect(first?.count).toBe(2);
    expect(second?.other).toBe(2);
  });
});

function createSchemas({ enum: oneOf, ...zod }: typeof z) {
  const text = zod.string();
  const [one, other] = ['a', 'b'].map((kind) => zod.strictObject({ kind: zod.literal(kind), text }));
  return [
    ...[
      text,
      zod.number(),
      zod.int(),
      zod.boolean(),
      zod.unknown(),
      zod.null(),
      zod.url(),
      zod.iso.datetime(),
    ],
    ...[oneOf(['a', 'b']), zod.literal('a'), zod.array(text), zod.tuple([text]), zod.record(text, text)],
    ...[
      zod.optional(text),
      zod.nullable(text),
      zod._default(text, ''),
      zod.prefault(text, ''),
      zod.readonly(text),
    ],
    ...[
      zod.object({ text }),
      zod.looseObject({ text }),
      zod.union([text, zod.number()]),
      zod.lazy(() => text),
    ],
    zod.discriminatedUnion('kind', [one ?? zod.strictObject({}), other ?? zod.strictObject({})]),
    zod.extend(zod.object({ text }), { more: text }),
    text.check(zod.minLength(1)),
  ] as const;
}

/** Of schemas inside only the type. */
function describeValue(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (part instanceof Set) return [...(part as Set<unknown>)];
    return typeof part === 'object' && part !== null && '_zod' in part && 'type' in part ? part.type : part;
  });
}

function outcomeOf(schema: typeof settings.settingsSchema, value: unknown): unknown {
  const result = schema.safeParse(value);
  return result.success ? result.data : result.error.issues;
}
