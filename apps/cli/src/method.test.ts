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
  mkdirSync(join(cwd, 'kitchen'));
  writeFileSync(join(cwd, 'kitchen/method.md'), METHOD);
  expect(await crewagent('import', 'kitchen', '-o', 'unfolded')).toMatch(/^0 ✔ supper is ready in unfolded/);
  expect(await crewagent('import', 'kitchen')).toMatch(/^2 [\s\S]*with -o/);
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

it('what is wrong with a method is said in Chinese with what was found and what is meant', async () => {
  const cwd = tempDir();
  const env = {
    ...{ ...process.env, CREWAGENT_HOME: join(cwd, 'store'), FORCE_COLOR: undefined },
    ...{ LANG: 'zh_CN.UTF-8', LC_ALL: 'zh_CN.UTF-8' },
  };
  const findings = async (method: string): Promise<string[]> => {
    writeFileSync(join(cwd, 'm.md'), method);
    const { out } = await startCommand(['validate', 'm.md'], { cwd, env }).ended;
    return out
      .split('\n')
      .filter((line) => /^ {10}/.test(line))
      .map((line) => line.trim());
  };
  expect(await findings('---\nname: m\nverion: 2\nagents:\n  - nme: Mia\n---\n## A\n')).toEqual([
    '缺少“agents[0].name”，应为文本。',
    '→ 请添加“agents[0].name”，值为文本。',
    '“agents[0]”中有未知的键“nme”。',
    '→ 是不是“name”？这里不能有其他键。',
    '文档中有未知的键“verion”。',
    '→ 是不是“version”？这里不能有其他键。',
  ]);
  const inputs = 'inputs:\n  - { name: n, prompt: N, type: number }\n';
  expect(await findings(`---\nname: m\n${inputs}---\n## A\nAgent: Bo\n→ C\n\nEnd\n## B\n`)).toEqual([
    '没有智能体“Bo”。',
    '→ 请写文件头中的一个智能体：agent, m。',
    '没有标题为“C”的步骤。',
    '→ 请逐字写出某个步骤的标题。',
    '“End”只是给模型的文字，运行时不会执行它。',
    '→ 是不是想写这一行：“End.”？如果不是，请写成句子的一部分。',
  ]);
  expect(await findings(`---\nname: m\n${inputs}---\n## A\n`)).toEqual([
    '这个问题已忽略：“type”是“number”，应为其中之一：text, path, choice, multi, confirm。',
    '→ 请使用其中一个值。',
  ]);
  expect(await findings('---\nname: m\n---\ntext\n')).toEqual([
    '没有步骤：没有一行以“## ”开头。',
    '→ 请为每个步骤写一个标题，例如“## Ask for the topic”。',
  ]);
  writeFileSync(join(cwd, 'm.md'), METHOD.replace('Waits.', ''));
  mkdirSync(join(cwd, 'project'));
  const run = await startCommand(['run', 'm.md', '-p', 'project', '--rehearsal'], { cwd, env }).ended;
  expect(run.out).toContain('已证实 1 步，共 2 步；1 步无需证明');
});
