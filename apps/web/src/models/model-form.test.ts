import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TypedValues } from '../ui/forms/typed-values.ts';
import { type ParsedModel, parseModel, toModelValues } from './model-form.ts';
import { MODEL_PRESETS } from './model-presets.ts';
import { adviceFor } from './trial-report.tsx';

function parse(values: TypedValues, otherNames: readonly string[] = []): ParsedModel {
  return parseModel(values, { otherNames, keyNames: ['work'], keyFor: undefined, hasKeyVariable: true });
}

describe('a typed model', () => {
  it('[U81] is named after its model, with a unique name', () => {
    const values = toModelValues({ provider: 'openrouter', model: 'maker/some model:free' });
    expect(parse(values)).toEqual({
      ok: true,
      name: 'maker-some-model:free',
      settings: { provider: 'openrouter', model: 'maker/some model:free' },
    });
    expect(parse({ ...values, model: 'a' }, ['a', 'a-2'])).toMatchObject({ name: 'a-3' });
    expect(parse({ ...values, model: 'rehearsal' })).toMatchObject({ name: 'rehearsal-2' });
    expect(parse({ ...values, model: '模型' })).toMatchObject({ name: 'openrouter' });
  });

  it.each([
    [{ model: '' }, { model: 'missing' }],
    [{ provider: 'generic' }, { baseUrl: 'missing' }],
    [{ baseUrl: 'models.example' }, { baseUrl: 'wrong' }],
    [{ baseUrl: 'https://me:word@models.example/v1' }, { baseUrl: 'wrong' }],
    [{ name: 'rehearsal' }, { name: 'wrong' }],
    [{ name: 'two words' }, { name: 'wrong' }],
    [{ name: 'known' }, { name: 'taken' }],
    [{ contextTokens: '12' }, { contextTokens: 'wrong' }],
    [{ maxOutputTokens: '1.5' }, { maxOutputTokens: 'wrong' }],
    [{ temperature: 'warm' }, { temperature: 'wrong' }],
    [{ 'prices.input': '-1', 'prices.output': '2' }, { 'prices.input': 'wrong' }],
    [{ 'prices.input': '1' }, { 'prices.output': 'missing' }],
    [{ 'addedKey.name': 'home' }, { 'addedKey.key': 'missing' }],
    [{ 'addedKey.key': 'sk-1' }, { 'addedKey.name': 'missing' }],
    [{ 'addedKey.name': 'work', 'addedKey.key': 'sk-1' }, { 'addedKey.name': 'taken' }],
  ])('[U81] %j has an issue at its field', (change, issues) => {
    const values = { ...toModelValues({ provider: 'openai', model: 'm' }), ...change };
    expect(parse(values, ['known'])).toEqual({ ok: false, issues });
  });

  it('[U81] needs a key where the provider does and none is known', () => {
    const values = toModelValues({ provider: 'openai', model: 'm' });
    const context = { otherNames: [], keyFor: undefined, hasKeyVariable: false };
    expect(parseModel(values, context)).toEqual({ ok: false, issues: { key: 'missing' } });
    expect(parseModel({ ...values, key: ' sk-1 ' }, context)).toMatchObject({ ok: true, key: 'sk-1' });
    expect(parseModel(values, { ...context, keyFor: values })).toMatchObject({ ok: true });
  });

  it('round-trips through its settings, those included that the form does not show', () => {
    const settings = {
      provider: 'generic',
      model: 'm',
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKeyEnv: 'KEY',
      contextTokens: 8_000,
      maxOutputTokens: 100,
      temperature: 0.2,
      prices: { input: 1, cachedInput: 0.0375, output: 2 },
      timeouts: { firstByteSeconds: 900 },
      retries: { tries: 2 },
      maxReplyMiB: 0.5,
    } as const;
    expect(parse(toModelValues({ name: 'one', ...settings }))).toMatchObject({
      ok: true,
      name: 'one',
      settings,
    });
  });

  it('[U81] is settings with a valid name, or has issues, whatever is typed', () => {
    const paths = Object.keys(toModelValues({}));
    const typed = fc.record({
      ...Object.fromEntries(paths.map((path) => [path, fc.string()])),
      provider: fc.constantFrom(...MODEL_PRESETS.map(({ provider }) => provider)),
    });
    fc.assert(
      fc.property(typed, (values) => {
        const parsed = parse(values);
        if (parsed.ok) expect(parsed.name).toMatch(/^[A-Za-z0-9][\w.:-]{0,63}$/);
        else expect(Object.keys(parsed.issues).length).toBeGreaterThan(0);
      }),
    );
  });
});

it.each([
  ['reached', 'Nobody answers there.', 'reach'],
  ['reply', 'It refused the API key (401).', 'key'],
  ['reply', 'There is no such model.', 'reply'],
  ['tool call', 'It answered with words.', 'tools'],
  ['second turn', 'It did not use the result.', 'tools'],
] as const)('[U81] a test that fails at "%s" (%s) gives advice', (name, detail, advice) => {
  expect(adviceFor({ name, detail })).toBe(advice);
});
