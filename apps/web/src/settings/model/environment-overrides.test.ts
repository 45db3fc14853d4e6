import { describe, expect, it } from 'vitest';
import { overridesOf } from './environment-overrides.ts';

const HERE = 'http://127.0.0.1:1/v1';
const THERE = 'http://127.0.0.1:2/v1';
const address = { field: 'baseUrl', variable: 'CREWAGENT_BASE_URL', value: THERE } as const;
const own = { field: 'key', variable: 'CREWAGENT_API_KEY' } as const;
const shared = { field: 'key', variable: 'OPENAI_API_KEY' } as const;

describe('the environment', () => {
  it.each([
    ['nothing', {}, false, {}, []],
    ['another address', {}, false, { baseUrl: THERE }, [address]],
    ['the same address', { baseUrl: THERE }, false, { baseUrl: THERE }, []],
    ['our key', {}, true, { keyVariable: own.variable }, [own]],
    [
      'a key where the profile names its own',
      { apiKeyEnv: 'MINE' },
      false,
      { keyVariable: own.variable },
      [],
    ],
    ["everybody's key where none is kept", {}, false, { keyVariable: shared.variable }, [shared]],
    ["everybody's key where one is kept", {}, true, { keyVariable: shared.variable }, []],
    [
      "everybody's key where the kept one is for elsewhere",
      { baseUrl: HERE },
      true,
      { baseUrl: THERE, keyVariable: shared.variable },
      [address, shared],
    ],
  ] as const)('[U162] with %s decides what a run would take from it', (_, more, hasKey, said, expected) => {
    const settings = { provider: 'openai', model: 'm', ...more } as const;
    const environment = { hasKey: 'keyVariable' in said, ...said };
    expect(overridesOf({ settings, hasKey }, environment)).toEqual(expected);
  });
});
