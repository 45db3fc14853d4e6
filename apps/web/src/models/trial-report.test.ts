import { describe, expect, it } from 'vitest';
import { adviceFor, isOfServer } from './trial-report.tsx';

describe('the advice for a failed step', () => {
  it.each([
    ['reached', 'example.com wants an API key, and there is none. Set one for this model.', 'noKey'],
    ['reply', 'example.com wants an API key (401). Set an API key for this model.', 'noKey'],
    ['reply', 'example.com refused the API key (401).', 'key'],
    ['reached', 'The API key holds characters that no key has; copy it again.', 'key'],
    ['reached', '127.0.0.1:9 cannot be reached (ECONNREFUSED).', 'reach'],
    ['reply', 'example.com has no model "x".', 'model'],
    ['reply', 'example.com has nothing at this address (404): "404 page not found".', 'address'],
    ['reply', 'example.com failed to answer (502). Try again later.', 'later'],
    ['second turn', 'example.com received too many requests (429). Wait a moment, then continue.', 'later'],
    ['reply', 'example.com rejected the request (400). Check the settings of this model.', 'reply'],
    ['tool call', 'The model answered with words.', 'tools'],
  ] as const)('[U81] matches it: %s, %s', (name, detail, advice) => {
    expect(adviceFor({ name, detail })).toBe(advice);
  });

  it('[U81] blames the settings only if the server answered', () => {
    expect((['reach', 'later', 'model', 'address', 'key'] as const).map(isOfServer)).toEqual([
      ...[true, true],
      ...[false, false, false],
    ]);
  });
});
