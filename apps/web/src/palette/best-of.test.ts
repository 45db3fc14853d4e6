import { describe, expect, it } from 'vitest';
import { bestOf, splitByMatch } from './best-of.ts';

const command = (title: string, synonyms?: string) => ({
  id: `go.${title}`,
  title,
  group: '',
  ...(synonyms === undefined ? {} : { synonyms }),
  run: () => undefined,
});

it('[U96] puts commands that contain the words before those that only contain the letters', () => {
  const { good, loose } = splitByMatch([command('Settings: Project data'), command('Open the PRD')], 'prd');
  expect(good.map(({ title }) => title)).toEqual(['Open the PRD']);
  expect(loose.map(({ title }) => title)).toEqual(['Settings: Project data']);
});

describe('a command', () => {
  it.each([
    ['Settings: About', 'agent', false],
    ['Settings: About', 'ttings', true],
    ['Settings: About', 'set ab', true],
    ['Settings: About', 'sbout', false],
    ['Project data', 'prda', true],
    ['Project data', 'dapr', false],
    ['设置：项目数据', '项目', true],
  ])('[U96] %s matches %j: %s', (title, text, isFound) => {
    expect(bestOf([command(title)], text)).toHaveLength(isFound ? 1 : 0);
  });

  it('[U96] is found by its synonyms, after those with the word in their title', () => {
    const commands = [command('New conversation', 'chat, agent, workflow'), command('Example workflow')];
    const { good } = splitByMatch(commands, 'workflow');
    expect(good.map(({ title }) => title)).toEqual(['Example workflow', 'New conversation']);
  });

  it('[U96] with thousands of equal letters is compared at once', () => {
    expect(bestOf([command('a '.repeat(5_000))], `${'a'.repeat(40)}b`)).toEqual([]);
  });
});
