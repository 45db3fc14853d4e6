import { describe, expect, it } from 'vitest';
import { answeringModel } from './answering-model.ts';

describe('the model that answers', () => {
  it.each([
    [undefined, undefined, 'rehearsal', 'rehearsal'],
    ['rehearsal', undefined, 'rehearsal', 'rehearsal'],
    ['big', undefined, 'settings', 'big'],
    ['big', 'small', 'environment', 'small'],
    ['big', 'rehearsal', 'rehearsal', 'rehearsal'],
  ] as const)('[U42] default %s, environment %s: %s %s', (defaultModel, model, kind, name) => {
    expect(answeringModel({ defaultModel, environment: { model } })).toEqual({ kind, name });
  });
});
