import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectPackage } from '@crewagent/core';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { exportSkill } from './index.ts';

const EXAMPLES = join(import.meta.dirname, '../../../../examples');

it.each([
  ['multi-workflows', 'start_workflow {"package":"multi-workflows","workflow":"decision-record"}'],
  ['create-story-micro-zh', 'start_workflow {"package":"create-story-micro-zh"}'],
])('%s as a skill: its frontmatter is valid, and it names its workflows', async (name, call) => {
  const dir = await mkdtemp(join(tmpdir(), 'crewagent-skill-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const context = { runtimeVersion: '0.1.0', knownServers: { has: () => false } };
  const { package: loaded } = await inspectPackage(join(EXAMPLES, name), context);
  if (!loaded) throw new Error('the example is not valid');
  const text = await readFile(await exportSkill(name, loaded, dir), 'utf8');
  const [, frontmatter = ''] = text.split('---\n');
  expect(parse(frontmatter)).toMatchObject({ name, description: expect.stringMatching(/\S/) as unknown });
  expect(text).toContain(call);
  await expect(exportSkill(name, loaded, dir)).rejects.toThrow('already');
});
