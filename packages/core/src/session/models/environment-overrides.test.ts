import { settingsSchema } from '@crewagent/protocol/settings';
import { describe, expect, it } from 'vitest';
import { chooseModel, findApiKeys, overridesOf } from './choose-model.ts';

const HERE = 'http://127.0.0.1:1/v1';
const THERE = 'http://127.0.0.1:2/v1';
const address = { field: 'baseUrl', variable: 'CREWAGENT_BASE_URL', value: THERE } as const;
const own = { field: 'key', variable: 'CREWAGENT_API_KEY' } as const;
const shared = { field: 'key', variable: 'OPENAI_API_KEY' } as const;

describe('environment overrides', () => {
  it.each([
    ['nothing', {}, false, {}, []],
    ['another address', {}, false, { CREWAGENT_BASE_URL: THERE }, [address]],
    ['the same address', { baseUrl: THERE }, false, { CREWAGENT_BASE_URL: THERE }, []],
    ['what is no address', {}, false, { CREWAGENT_BASE_URL: 'x' }, [{ ...address, value: 'x' }]],
    ['our key', {}, true, { CREWAGENT_API_KEY: 'k' }, [own]],
    ['both keys', {}, false, { CREWAGENT_API_KEY: 'k', OPENAI_API_KEY: 'k' }, [own]],
    ['a key where the model names its own', { apiKeyEnv: 'MINE' }, false, { CREWAGENT_API_KEY: 'k' }, []],
    ['OPENAI_API_KEY without a stored key', {}, false, { OPENAI_API_KEY: 'k' }, [shared]],
    ['OPENAI_API_KEY with a stored key', {}, true, { OPENAI_API_KEY: 'k' }, []],
    [
      'OPENAI_API_KEY with a stored key for another address',
      { baseUrl: HERE },
      true,
      { CREWAGENT_BASE_URL: THERE, OPENAI_API_KEY: 'k' },
      [address, shared],
    ],
  ] as const)("[A18] with %s take precedence over the model's settings", (_, more, hasKey, env, expected) => {
    const settings = { provider: 'openai', model: 'm', ...more } as const;
    expect(overridesOf({ name: 'work', settings, hasKey }, env)).toEqual(expected);
  });

  it('[A18] match what a run uses, in all combinations', async () => {
    for (const baseUrl of [undefined, HERE, THERE])
      for (const apiKeyEnv of [undefined, 'MINE'])
        for (const said of [undefined, '', THERE])
          for (const ours of [undefined, '', 'ours'])
            for (const everybodys of [undefined, 'everybodys'])
              for (const stored of [undefined, 'stored']) {
                const settings = settingsSchema.parse({
                  models: { work: { model: 'm', baseUrl, apiKeyEnv } },
                });
                const env = {
                  CREWAGENT_BASE_URL: said,
                  CREWAGENT_API_KEY: ours,
                  OPENAI_API_KEY: everybodys,
                  MINE: 'mine',
                };
                const own = settings.models.work;
                const chosen = chooseModel({ model: 'work' }, settings, env);
                if (!own || chosen.kind !== 'provider') throw new Error('no provider');
                const overrides = overridesOf(
                  { name: 'work', settings: own, hasKey: stored !== undefined },
                  env,
                );
                const [addressOverride, keyOverride] = (['baseUrl', 'key'] as const).map((field) =>
                  overrides.find((each) => each.field === field),
                );
                expect(addressOverride?.value ?? own.baseUrl).toBe(chosen.settings.baseUrl);
                const list = stored === undefined ? [] : [{ name: 'default', key: stored }];
                const found = await findApiKeys(chosen, env, () => Promise.resolve({ list, useNext: false }));
                const key = found.list[0]?.key;
                const isFromEnvironment = key !== undefined && [ours, everybodys].includes(key);
                expect(keyOverride && env[keyOverride.variable as keyof typeof env]).toBe(
                  isFromEnvironment ? key : undefined,
                );
              }
  });
});
