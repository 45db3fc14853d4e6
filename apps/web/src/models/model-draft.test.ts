import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyDraft, parseDraft, toDraft } from './model-draft.ts';
import { MODEL_PRESETS } from './model-presets.ts';
import { adviceFor } from './trial-advice.ts';

describe('a typed model', () => {
  it('[U81] is named after its model, with a unique name', () => {
    const draft = { ...emptyDraft('openrouter'), model: 'maker/some model:free' };
    expect(parseDraft(draft, [])).toEqual({
      ok: true,
      name: 'maker-some-model:free',
      settings: { provider: 'openrouter', model: 'maker/some model:free' },
    });
    expect(parseDraft({ ...draft, model: 'a' }, ['a', 'a-2'])).toMatchObject({ name: 'a-3' });
    expect(parseDraft({ ...draft, model: 'rehearsal' }, [])).toMatchObject({ name: 'rehearsal-2' });
    expect(parseDraft({ ...draft, model: '模型' }, [])).toMatchObject({ name: 'openrouter' });
  });

  it.each([
    [{ model: '' }, { model: 'model' }],
    [{ provider: 'generic' }, { baseUrl: 'addressNeeded' }],
    [{ baseUrl: 'models.example' }, { baseUrl: 'address' }],
    [{ baseUrl: 'https://me:word@models.example/v1' }, { baseUrl: 'address' }],
    [{ name: 'rehearsal' }, { name: 'name' }],
    [{ name: 'two words' }, { name: 'name' }],
    [{ name: 'known' }, { name: 'taken' }],
    [{ contextTokens: '12' }, { contextTokens: 'contextTokens' }],
    [{ maxOutputTokens: '1.5' }, { maxOutputTokens: 'whole' }],
    [{ temperature: 'warm' }, { temperature: 'temperature' }],
    [{ inputPrice: '-1', outputPrice: '2' }, { inputPrice: 'price' }],
    [{ inputPrice: '1' }, { outputPrice: 'priceNeeded' }],
  ] as const)('[U81] %j has an issue at its field', (change, issues) => {
    const draft = { ...emptyDraft('openai'), model: 'm', ...change };
    expect(parseDraft(draft, ['known'])).toEqual({ ok: false, issues });
  });

  it('[U81] round-trips through its settings', () => {
    const settings = {
      provider: 'generic',
      model: 'm',
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKeyEnv: 'KEY',
      contextTokens: 8_000,
      maxOutputTokens: 100,
      temperature: 0.2,
      prices: { input: 1, cachedInput: 0.1, output: 2 },
    } as const;
    expect(parseDraft(toDraft('one', settings), [])).toEqual({ ok: true, name: 'one', settings });
  });

  it('[U81] is settings with a valid name, or has issues, whatever is typed', () => {
    const text = fc.string();
    const draft = fc.record({
      ...Object.fromEntries(Object.keys(emptyDraft('openai')).map((field) => [field, text])),
      provider: fc.constantFrom(...MODEL_PRESETS.map(({ provider }) => provider)),
    });
    fc.assert(
      fc.property(draft, (typed) => {
        const parsed = parseDraft({ ...emptyDraft('openai'), ...typed }, []);
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
