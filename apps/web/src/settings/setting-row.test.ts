import { settingsSchema } from '@crewagent/protocol/settings';
import { describe, expect, it } from 'vitest';
import { toSection } from './setting-index.ts';
import { settingAt } from './setting-row.tsx';

describe('a setting', () => {
  const decided = { tools: { fs: { maxReadBytes: 9 } } };
  const source = { settings: settingsSchema.parse(decided), decided, defaults: settingsSchema.parse({}) };

  it.each([
    ['tools.fs.maxReadBytes', { value: 9, usual: 524_288, isDecided: true }],
    ['tools.fs.enabled', { value: true, usual: true, isDecided: false }],
    ['limits.maxTokens', { value: undefined, usual: undefined, isDecided: false }],
    ['no.such.thing', { value: undefined, usual: undefined, isDecided: false }],
    ['constructor.name', { value: undefined, usual: undefined, isDecided: false }],
  ])('[U87] %s has its source', (path, expected) => {
    expect(settingAt(source, path)).toEqual(expected);
  });
});

it('[U87] an unknown section means the first one', () => {
  expect(toSection('tools', ['model', 'tools'])).toBe('tools');
  expect(toSection('nothing', ['model', 'tools'])).toBe('model');
  expect(toSection(undefined, ['appearance'])).toBe('appearance');
});
