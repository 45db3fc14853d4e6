import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { standingOf, toNodeFile } from './node-files.tsx';

describe('the files of a node', () => {
  it.each([
    ['docs/a.md', '@project/docs/a.md'],
    ['./docs//a.md', '@project/docs/a.md'],
    ['@project/docs/a.md', '@project/docs/a.md'],
    ['{project-root}/docs/a.md', '@project/docs/a.md'],
    ['{artifacts-root}/a.md', '@project/artifacts/a.md'],
    ['stories/{storyKey}.md', '@project/stories/1-2.md'],
    ['stories/{number}.md', '@project/stories/3.md'],
  ])('are found in the project: %s', (written, path) => {
    expect(toNodeFile(written, { storyKey: '1-2', number: 3 }).path).toBe(path);
  });

  it.each([
    'stories/{unknown}.md',
    'stories/{list}.md',
    'steps/a.md',
    'assets/a.md',
    'workflow.md',
    '@pkg/a.md',
    '@state/workflow.md',
    '{package-root}/a.md',
    '{other-root}/a.md',
    '/etc/passwd',
    '~/a.md',
    'C:/a.md',
    'https://example.com/a.md',
    'docs/../../a.md',
    'docs\\a.md',
    '@project',
    '',
  ])('are not resolved in the project: %s', (written) => {
    expect(toNodeFile(written, { list: ['a'] })).toEqual({ name: written, path: undefined });
  });

  it('never resolve to a path outside the project, whatever a package or a model wrote', () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '',
      'a',
      '{v}',
      '@project',
      '@pkg',
      '~',
      'C:',
      '{project-root}',
      '\\',
      '://',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.array(part, { maxLength: 4 }), (parts, value) => {
        const { path } = toNodeFile(parts.join('/'), { v: value.join('/') });
        if (path === undefined) return;
        expect(path).toMatch(/^@project\/./);
        expect(path.split('/')).not.toContain('..');
        expect(path.split('/')).not.toContain('');
      }),
    );
  });
});

it.each([
  ['done', 'outputs', 'isMissing'],
  ['done', 'inputs', 'isMissing'],
  ['current', 'inputs', 'isMissing'],
  ['current', 'outputs', 'isAhead'],
  ['ahead', 'inputs', 'isAhead'],
  ['ahead', 'outputs', 'isAhead'],
  ['notNeeded', 'inputs', 'isNotNeeded'],
  ['notNeeded', 'outputs', 'isNotNeeded'],
] as const)('of a node that is %s: missing %s are shown as %s', (progress, use, expected) => {
  expect(standingOf(false, use, progress)).toBe(expected);
  expect(standingOf(true, use, progress)).toBe('isThere');
});
