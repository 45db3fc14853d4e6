import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCommand } from './testing/running-command.ts';
import { tempDir } from './testing/temp-dir.ts';

const METHOD = `---
name: supper
title: A supper for friends
---
## Ask
Ask what the guests like.
Waits.
Sets: taste

## Plan
Write the plan.

Produces: artifacts/plan.md
- headings: Menu, Shopping
- minWords: 20
`;

const TEST =
  'model: literal\nexpect: { path: [ask, plan], proved: true, files: { artifacts/plan.md: true } }\n';

it('a method is validated, rehearsed, tested, run, packed and expanded as it is', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'supper.md'), METHOD);
  for (const folder of ['tests', 'project']) mkdirSync(join(cwd, folder));
  writeFileSync(join(cwd, 'tests/whole-way.yaml'), TEST);
  const env = { ...process.env, CREWAGENT_HOME: join(cwd, 'store'), FORCE_COLOR: undefined };
  const crewagent = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await startCommand(args, { cwd, env }).ended;
    return `${code} ${out}${err}`;
  };
  expect(await crewagent('validate', 'supper.md')).toMatch(
    /^0 ✔ supper 0\.1\.0[\s\S]*valid: 0 errors, 0 warnings/,
  );
  expect(await crewagent('rehearse', 'supper.md')).toMatch(/^0 .*\n.*\n.*2\/2 +1\/1 +1\/1 +1\/1/);
  expect(await crewagent('test', 'supper.md', '--min-coverage', '100')).toMatch(
    /^0 [\s\S]*1 passed, 0 failed/,
  );
  const run = ['run', 'supper.md', '-p', 'project', '--rehearsal', '-i', 'soup', '--approve', 'autopilot'];
  expect(await crewagent(...run)).toMatch(/^0 /);
  expect(readFileSync(join(cwd, 'project/artifacts/plan.md'), 'utf8')).toContain('# Shopping');
  expect(await crewagent('test', '--from-run', 'last', '--name', 'saved')).toMatch(/^0 .*saved\.yaml/);
  expect(await crewagent('test', 'supper.md')).toMatch(/^0 [\s\S]*2 passed, 0 failed/);
  expect(await crewagent('pack', 'supper.md')).toMatch(/^0 ✔ supper-0\.1\.0\.bmad/);
  expect(await crewagent('new', 'full', '--from', 'supper.md')).toMatch(/^0 ✔ supper is ready in full/);
  expect(await crewagent('import', 'supper.md')).toMatch(/^0 ✔ supper is ready in supper/);
  expect(await crewagent('pack', 'full', '-o', 'full.bmad')).toMatch(/^0 /);
  expect(readFileSync(join(cwd, 'full.bmad'))).toEqual(readFileSync(join(cwd, 'supper-0.1.0.bmad')));
  expect(existsSync(join(cwd, 'supper/steps/02-plan.md'))).toBe(true);
  // What cannot be done is said, and nothing is written.
  expect(await crewagent('import', 'supper.md')).toMatch(/^2 [\s\S]*is not empty/);
  expect(await crewagent('new', 'other', '--from', 'full')).toMatch(/^2 [\s\S]*is not a method/);
  expect(await crewagent('new', 'other', '--from', 'supper.md', '--name', 'x')).toMatch(/^2 [\s\S]*either/);
  expect(await crewagent('run', 'none.md', '-p', 'project')).toMatch(
    /^2 [\s\S]*There is no package at "none\.md"/,
  );
  writeFileSync(join(cwd, 'supper.md'), METHOD.replace('minWords', 'minWord'));
  expect(await crewagent('validate', 'supper.md')).toMatch(/^2 [\s\S]*supper\.md:13/);
  expect(await crewagent('new', 'other', '--from', 'supper.md')).toMatch(/^2 [\s\S]*not a valid package/);
  expect(existsSync(join(cwd, 'other'))).toBe(false);
}, 60_000);
