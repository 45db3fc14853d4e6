import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runChecks } from './check.mjs';
import { runStaticCheck } from './static-checks.mjs';

const CACHE = join(import.meta.dirname, '..', '.cache');

/** A check that counts its runs, reads one file, and fails if the file says so. */
function createCheck() {
  const folder = mkdtempSync(join(CACHE, 'static-check-'));
  const name = basename(folder);
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
    rmSync(join(CACHE, 'checks', name), { force: true });
  });
  const [input, runs] = [join(folder, 'input'), join(folder, 'runs')];
  writeFileSync(input, 'fail');
  const script = `
    const { appendFileSync, readFileSync } = require('node:fs');
    appendFileSync(${JSON.stringify(runs)}, 'x');
    console.log('looked at it');
    process.exitCode = readFileSync(${JSON.stringify(input)}, 'utf8') === 'fail' ? 1 : 0;`;
  const check = { name, inputs: [`.cache/${name}/input`], args: () => ['-e', script] };
  return { check, input, countRuns: () => readFileSync(runs, 'utf8').length };
}

it('[I6] runs a check until it has passed, and again when its inputs have changed', async () => {
  const { check, input, countRuns } = createCheck();
  expect(await runStaticCheck(check)).toEqual({ status: 1, output: 'looked at it\n' });
  expect((await runStaticCheck(check)).status).toBe(1);
  writeFileSync(input, 'pass now');
  expect((await runStaticCheck(check)).status).toBe(0);
  expect(countRuns()).toBe(3);
  expect((await runStaticCheck(check)).status).toBe(0);
  expect(countRuns()).toBe(3);
  writeFileSync(input, 'pass again');
  await runStaticCheck(check);
  expect(countRuns()).toBe(4);
});

it('[I6] runs every check, and prints the failures at the end', async () => {
  const { check, countRuns } = createCheck();
  const said: string[] = [];
  const tests = [
    { name: 'tests', run: () => Promise.resolve({ status: 1, output: '✗ some.test.ts > adds\n' }) },
    { name: 'more tests', run: () => Promise.resolve({ status: 0, output: '' }) },
  ];
  const isPassed = await runChecks({
    tests,
    pageTests: [],
    staticChecks: [check, check],
    plan: { kind: 'run' },
    log: (line) => said.push(line),
  });
  expect(isPassed).toBe(false);
  expect(countRuns()).toBe(2);
  const ending = said.slice(-4);
  expect(ending.slice(0, 3).sort()).toEqual(
    [
      `\n— tests\n✗ some.test.ts > adds`,
      `\n— ${check.name}\nlooked at it`,
      `\n— ${check.name}\nlooked at it`,
    ].sort(),
  );
  expect(ending.at(-1)).toMatch(/^\nFailed: /);
});
