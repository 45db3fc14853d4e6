import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { runInHost } from '../host-process.ts';
import { createComposer } from './composer.ts';
import { askHidden, createPrompter } from './prompter.ts';

describe('a terminal that is gone', () => {
  it.each([
    ['a typed answer', () => createPrompter().ask('› ')],
    ['a choice', () => createPrompter().pick({ options: ['Yes', 'No'], hint: '' })],
    ['a hidden line', () => askHidden('Key: ')],
    [
      'a message',
      () =>
        createComposer(new AbortController().signal).ask('› ', {
          complete: async () => ({ from: '', hits: [] }),
          describe: () => [],
        }),
    ],
  ])('[C16] leaves %s unanswered', async (_, ask) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const host = { ...process, argv: [], env: {}, stdin, stdout, stderr };
    const answer = runInHost<Promise<unknown>>(host, ask);
    stdin.destroy(Object.assign(new Error('read EIO'), { code: 'EIO' }));
    expect([undefined, { kind: 'left', by: 'end' }]).toContainEqual(await answer);
    expect(stdin.listenerCount('data')).toBe(0);
  });
});
