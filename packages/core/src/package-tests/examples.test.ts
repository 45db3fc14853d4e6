import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '@crewagent/protocol/version';
import { expect, it } from 'vitest';
import { rehearsePackage } from '../rehearse/rehearse-package.ts';
import { testPackage } from './test-package.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../examples');
const context = { runtimeVersion: VERSION, knownServers: new Set<string>() };
const METHODS = readdirSync(EXAMPLES).filter((name) => existsSync(join(EXAMPLES, name, 'method.md')));

it.each(METHODS)('%s: its tests pass, and its branches can be followed in an empty project', async (name) => {
  const folder = join(EXAMPLES, name);
  const { tests, percent } = await testPackage({ folder, context });
  expect(
    tests.flatMap(({ name: of, failures }) => failures.map(({ message }) => `${of}: ${message}`)),
  ).toEqual([]);
  expect(tests.map(({ model }) => model)).toEqual(expect.arrayContaining(['lazy', 'literal']));
  expect(percent).toBeGreaterThan(90);
  // Its twin has the same graph.
  if (name.endsWith('-zh')) return;
  const { ok, failures, workflows } = await rehearsePackage({ package: folder, context });
  expect(failures).toEqual([]);
  expect(ok && workflows.every(({ halts }) => halts.total > 0)).toBe(true);
});
