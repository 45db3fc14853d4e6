import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  await bundle(
    {
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
