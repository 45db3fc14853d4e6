import { describe, expect, it } from 'vitest';
import { describeField, type FieldShape, fieldAt, toChange, valueAt } from './describe-fields.ts';
import { modelSettingsSchema } from './model.ts';
import { settingsSchema } from './settings.ts';
import * as z from './zod.ts';

const settings = describeField(settingsSchema);
const at = (path: string): FieldShape | undefined => fieldAt(settings, path.split('.'));

describe('fields of a schema', () => {
  it.each([
    ['limits.maxTurns', { type: 'number', isWhole: true, least: 1, isOptional: true }],
    ['limits.maxCostUsd', { type: 'number', isWhole: false, above: 0 }],
    ['models.any.temperature', { type: 'number', least: 0, most: 2 }],
    ['models.any.maxOutputTokens', { type: 'number', isWhole: true, least: 1 }],
    ['models.any.baseUrl', { type: 'text', isUrl: true }],
    ['tools.fs.enabled', { type: 'boolean' }],
    ['tools.approval', { type: 'choice', options: ['read-only', 'ask', 'declared', 'autopilot'] }],
    ['tools.fs.secretPatterns', { type: 'list', entry: { type: 'text' } }],
    ['modelFor.agents', { type: 'record', entry: { type: 'text' } }],
    ['inputs.person.any', { type: 'any' }],
  ])('%s', (path, expected) => {
    expect(at(path)).toMatchObject(expected);
  });

  it('are not found where there are none', () => {
    for (const path of ['limits.turns', 'limits.maxTurns.more', 'constructor', 'limits.__proto__'])
      expect(at(path)).toBeUndefined();
  });

  it('are required unless they may be left out, and secret or with examples if the schema says so', () => {
    expect(fieldAt(describeField(modelSettingsSchema), ['model'])?.isOptional).toBeUndefined();
    const secret = z.optional(z.string().check(z.meta({ format: 'password', examples: ['sk-1'] })));
    expect(describeField(secret)).toMatchObject({ isSecret: true, isOptional: true, examples: ['sk-1'] });
  });
});

it('[U87] a value is changed without affecting others', () => {
  expect(toChange(['tools', 'fs', 'enabled'], false)).toEqual({ tools: { fs: { enabled: false } } });
  expect(toChange(['defaultModel'], null)).toEqual({ defaultModel: null });
  expect(valueAt({ limits: {} }, ['limits', 'constructor'])).toBeUndefined();
});
