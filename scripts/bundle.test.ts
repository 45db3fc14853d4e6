import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as json from '../packages/protocol/src/json-schemas.ts';
import * as settings from '../packages/protocol/src/settings.ts';
import { bundle } from './bundle.mjs';

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
  writeFileSync(join(folder, 'first.ts'), `export { add, count } from './counter.ts';`);
  writeFileSync(join(folder, 'second.ts'), `export { add, other } from './counter.ts';`);
  await bundle(
    {
      json: 'packages/protocol/src/json-schemas.ts',
      settings: 'packages/protocol/src/settings.ts',
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

function outcomeOf(schema: typeof settings.settingsSchema, value: unknown): unknown {
  const result = schema.safeParse(value);
  return result.success ? result.data : result.error.issues;
}
