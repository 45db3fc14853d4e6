import { describe, expect, it } from 'vitest';
import { answeringModel, isSetUp } from './answering-model.ts';

describe('the default model', () => {
  it.each([
    [undefined, undefined, 'rehearsal', 'rehearsal'],
    ['rehearsal', undefined, 'rehearsal', 'rehearsal'],
    ['big', undefined, 'settings', 'big'],
    ['big', 'small', 'environment', 'small'],
    ['big', 'rehearsal', 'rehearsal', 'rehearsal'],
  ] as const)('default %s, environment %s: %s %s', (defaultModel, model, kind, name) => {
    expect(answeringModel({ defaultModel, environment: { model } })).toEqual({ kind, name });
  });

  it.each([
    [undefined, undefined, false],
    ['rehearsal', undefined, true],
    ['big', undefined, true],
    ['bad', undefined, false],
    ['bad', 'small', true],
  ] as const)('[U43] default %s, environment %s: is set up %s', (defaultModel, model, is) => {
    expect(isSetUp({ defaultModel, environment: { model } }, new Set(['bad']))).toBe(is);
  });
});
