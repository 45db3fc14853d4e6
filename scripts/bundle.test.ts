import { constants } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  writeFileSync(
    join(folder, 'builtins.ts'),
    `import { constants, Hash } from 'node:crypto';
     import * as threads from 'node:worker_threads';
     import { Script } from 'node:vm';
     export const run = (text: string) => new Script(text).runInThisContext();
     export const flags = () => ({ ...constants });
     export const passOn = () => [threads, threads.threadId];
     export const isHash = (value: unknown) => value instanceof Hash;`,
  );
  writeFileSync(
    join(folder, 'schemas.ts'),
    `import * as z from ${JSON.stringify(join(import.meta.dirname, '../packages/protocol/src/zod.ts'))};
     export const created: string[] = [];
     const name = (text: string) => { created.push(text); return z.string(); };
     const innerSchema = z.object({ name: name('inner') });
     const outerShape = { inner: z.optional(innerSchema) };
     const outerSchema = z.object({ ...outerShape, other: name('outer') });
     export const parseOuter = (value: unknown) => outerSchema.parse(value);
     const size = z.pipe(z.string(), z.transform((text) => text.length));
     export const sizeOf = (text: string) => size.parse(text);
     export const shadow = ({ size = 1 } = {}) => ({ size });`,
  );
  await bundle(
    {
      schemas: join(folder, 'schemas.ts'),
      first: join(folder, 'first.ts'),
      second: join(folder, 'second.ts'),
      builtins: join(folder, 'builtins.ts'),
    },
    join(folder, 'dist'),
    { format: 'cjs' },
  );
  load = createRequire(join(folder, 'dist', 'any.js'));
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a bundle for Node', () => {
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

  it('uses modules of Node however it names them', () => {
    const { run, flags, passOn, isHash } = load('./builtins.js') as Record<
      string,
      (value?: unknown) => unknown
    >;
    expect(run?.('1 + 1')).toBe(2);
    expect(flags?.()).toMatchObject({ SSL_OP_ALL: constants.SSL_OP_ALL });
    expect(passOn?.()).toEqual([expect.objectContaining({ isMainThread: true }), 0]);
    expect(isHash?.({})).toBe(false);
  });

  it('loads modules of Node when they are used', () => {
    const code = readFileSync(join(folder, 'dist', 'builtins.js'), 'utf8');
    const loaded: string[] = [];
    const record = (id: string): unknown => {
      loaded.push(id);
      return load(id);
    };
    const exported: Record<string, (text: string) => unknown> = {};
    const run = runInThisContext(`(function (exports, require) {${code}})`) as (...args: unknown[]) => void;
    run(exported, record);
    expect(loaded).toEqual(['node:worker_threads']);
    exported.run?.('1 + 1');
    expect(loaded).toEqual(['node:worker_threads', 'node:vm']);
  });

  it('creates a schema when it is first used, once', () => {
    const { created, parseOuter } = load('./schemas.js') as {
      created: string[];
      parseOuter(value: unknown): unknown;
    };
    expect(created).toEqual([]);
    const value = { inner: { name: 'a' }, other: 'b' };
    expect(parseOuter(value)).toEqual(value);
    expect(parseOuter(value)).toEqual(value);
    expect(created).toEqual(['inner', 'outer']);
  });

  it('keeps names of schemas that other variables have as well', () => {
    const { sizeOf, shadow } = load('./schemas.js') as Record<string, (value?: unknown) => unknown>;
    expect(sizeOf?.('four')).toBe(4);
    expect(shadow?.({ size: 2 })).toEqual({ size: 2 });
  });
});
