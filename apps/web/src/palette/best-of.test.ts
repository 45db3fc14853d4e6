import { expect, it } from 'vitest';
import { splitByMatch } from './best-of.ts';

const command = (title: string) => ({ id: title, title, group: '', run: () => undefined });

it('[U293] puts commands that contain the words before those that only contain the letters', () => {
  const { good, loose } = splitByMatch([command('Settings: Project data'), command('Open the PRD')], 'prd');
  expect(good.map(({ title }) => title)).toEqual(['Open the PRD']);
  expect(loose.map(({ title }) => title)).toEqual(['Settings: Project data']);
});
