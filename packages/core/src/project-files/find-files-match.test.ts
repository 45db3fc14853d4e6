import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchPath, toPathQuery } from './find-files.ts';

/** Matching paths, best first. */
function found(text: string, paths: readonly string[]): string[] {
  const wanted = toPathQuery(text);
  return paths
    .map((path) => ({ path, worth: matchPath(path, wanted) }))
    .filter(({ worth }) => worth !== undefined)
    .sort((a, b) => (b.worth ?? 0) - (a.worth ?? 0))
    .map(({ path }) => path);
}

describe('a path', () => {
  it.each([
    ['word starts', 'sc', ['docs/story-context.md', 'docs/mosaic.md']],
    ['the name before folders', 'story', ['docs/a/story.md', 'story/docs/a/notes.md']],
    ['the shorter path', 'readme', ['readme.md', 'packages/core/readme.md']],
    ['consecutive letters', 'plan', ['x/replan.md', 'x/p-l-x-a-x-n.md'.replaceAll('-', 'e')]],
    ['humps', 'fd', ['src/FileDesk.ts', 'src/unified.ts']],
    ['numbers', 's12', ['docs/story12.md', 'docs/story-1-a2.md']],
    ['the start of the name', 'test', ['a/test-plan.md', 'a/my-test.md']],
    ['folders and name together', 'corepath', ['core/x/path.ts', 'score/x/some-pathology-of-them.ts']],
  ])('[F23] prefers %s', (_, text, paths) => {
    expect(found(text, paths.toReversed())).toEqual(paths);
  });

  it.each([
    ['README', 'docs/readme.md'],
    ['read me', 'docs/readme.md'],
    ['docs\\read', 'docs/readme.md'],
    ['ÜBER', 'docs/u\u0308bersicht.md'],
    ['\u00fcber', 'docs/U\u0308BER.md'],
    ['计划', 'docs/项目计划.md'],
    ['', 'docs/readme.md'],
  ])('[F23] matches %j in any case, Unicode form and slash direction', (text, path) => {
    expect(matchPath(path, toPathQuery(text))).toBeDefined();
  });

  it.each(['emdaer', 'readmee', 'docs//', 'x'])(
    '[F23] does not match letters that are missing or out of order: %s',
    (text) => {
      expect(matchPath('docs/readme.md', toPathQuery(text))).toBeUndefined();
    },
  );

  it('[F23] matches exactly if all letters occur in order, whatever they are', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'B', '/', '.', '-', 'é', 'İ', 'ß', '😀', '1') });
    fc.assert(
      fc.property(letters, letters, (path, text) => {
        const wanted = toPathQuery(text);
        const folded = path.normalize('NFC').toLowerCase();
        let from = 0;
        const isIn = wanted.split('').every((letter) => {
          from = folded.indexOf(letter, from) + 1;
          return from > 0;
        });
        const worth = matchPath(path, toPathQuery(text));
        expect(worth !== undefined).toBe(isIn);
        if (worth !== undefined) expect(worth).toBeGreaterThan(-path.length - 1);
      }),
    );
  });
});
