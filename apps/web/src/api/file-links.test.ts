import { describe, expect, it } from 'vitest';
import { chooseFile } from './file-links.tsx';

const FOUND = [
  '@project/docs/prd.md',
  '@project/prd.md',
  '@project/docs/old/prd.md',
  '@project/docs/plan.md',
];

describe('the file for a path', () => {
  it.each([
    ['prd.md', '@project', '@project/prd.md'],
    ['prd.md', '@project/docs', '@project/docs/prd.md'],
    ['../prd.md', '@project/docs', '@project/prd.md'],
    ['docs/prd.md', '@project/docs', '@project/docs/prd.md'],
    ['plan.md', '@project', '@project/docs/plan.md'],
    ['old/prd.md', '@project', '@project/docs/old/prd.md'],
    ['../../../etc/passwd.md', '@project', undefined],
    ['missing.md', '@project', undefined],
  ])('[U7] %s in %s is %s', (path, folder, file) => {
    expect(chooseFile(FOUND, path, folder)).toBe(file);
  });

  it('[U7] is undefined if several files match', () => {
    expect(chooseFile(['@project/a/x.md', '@project/b/x.md'], 'x.md', '@project')).toBeUndefined();
  });
});
