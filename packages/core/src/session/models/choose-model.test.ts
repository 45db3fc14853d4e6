import { settingsSchema } from '@crewagent/protocol/settings';
import { describe, expect, it } from 'vitest';
import { chooseModel, findApiKeys, type ModelKeys } from './choose-model.ts';

const settings = settingsSchema.parse({
  models: { work: { provider: 'openai', baseUrl: 'https://api.openai.com/v1', model: 'gpt' } },
  defaultModel: 'work',
});
const readStored = (profile: string): Promise<ModelKeys> =>
  Promise.resolve({
    list: profile === 'work' ? [{ name: 'default', key: 'stored-key' }] : [],
    useNext: false,
  });

describe('the model of a run', () => {
  it.each([
    ['nothing said', {}, {}, { kind: 'provider', profile: 'work' }],
    ['rehearsal', { model: 'rehearsal' }, {}, { kind: 'rehearsal' }],
    ['a name over the environment', { model: 'work' }, { CREWAGENT_MODEL: 'other' }, { profile: 'work' }],
    ['the environment over settings', {}, { CREWAGENT_MODEL: 'other' }, { settings: { model: 'other' } }],
    [
      'a model without an address',
      { model: 'gpt-x' },
      {},
      { settings: { provider: 'openai', model: 'gpt-x' } },
    ],
    [
      'an address of its own',
      { model: 'm', baseUrl: 'http://127.0.0.1:1/v1' },
      {},
      { settings: { provider: 'generic', baseUrl: 'http://127.0.0.1:1/v1' } },
    ],
  ])('[A18] %s', (_, choice, env, expected) => {
    expect(chooseModel(choice, settings, env)).toMatchObject(expected);
  });

  it('[A18] is the rehearsal without configuration', () => {
    expect(chooseModel({}, settingsSchema.parse({}), {})).toEqual({ kind: 'rehearsal' });
  });

  it('[A18] without an address and without models in the settings is one of OpenAI, if there is a key', () => {
    const none = settingsSchema.parse({});
    const openai = { settings: { provider: 'openai', model: 'gpt-x' } };
    expect(chooseModel({ model: 'gpt-x' }, none, { OPENAI_API_KEY: 'k' })).toMatchObject(openai);
    expect(chooseModel({ model: 'gpt-x', apiKeyEnv: 'MY_KEY' }, none, {})).toMatchObject(openai);
    expect(() => chooseModel({ model: 'typo' }, none, {})).toThrow(/no model "typo" in the settings/);
  });

  it.each([
    ['the stored key', {}, {}, 'stored-key'],
    ['the environment over the stored key', {}, { CREWAGENT_API_KEY: 'env-key' }, 'env-key'],
    ['the stored key over OPENAI_API_KEY', {}, { OPENAI_API_KEY: 'openai-key' }, 'stored-key'],
    ['no stored key at another address', { baseUrl: 'http://evil.example/v1' }, {}, undefined],
    [
      'the variable that was named',
      { apiKeyEnv: 'MINE' },
      { MINE: 'my-key', CREWAGENT_API_KEY: 'env-key' },
      'my-key',
    ],
  ])('[A18] its key is %s', async (_, choice, env, expected) => {
    const model = chooseModel({ model: 'work', ...choice }, settings, env);
    if (model.kind !== 'provider') throw new Error('no provider');
    expect((await findApiKeys(model, env, readStored)).list[0]?.key).toBe(expected);
  });

  it('[A18] does not send a stored key to an address that the environment sets', async () => {
    const env = { CREWAGENT_BASE_URL: 'http://evil.example/v1' };
    const model = chooseModel({}, settings, env);
    if (model.kind !== 'provider') throw new Error('no provider');
    expect(model.settings.baseUrl).toBe('http://evil.example/v1');
    expect((await findApiKeys(model, env, readStored)).list).toEqual([]);
  });
});
