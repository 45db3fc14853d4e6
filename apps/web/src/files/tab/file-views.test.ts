import { expect, it } from 'vitest';
import { viewsOf } from './file-views.ts';

it('[U50] a long page opens in the editor', () => {
  const facts = {
    path: '@project/a.html',
    modifiedAt: '',
    mime: 'text/html',
    kind: 'text',
    text: '',
  } as const;
  const more = { isTooLarge: false, sha256: '', encoding: 'utf8', lineEnding: 'lf' } as const;
  const viewsAt = (bytes: number) => viewsOf('a.html', { ...facts, ...more, bytes });
  expect(viewsAt(10_000)).toEqual(['page', 'write']);
  expect(viewsAt(2_000_000)).toEqual(['write', 'page']);
});
