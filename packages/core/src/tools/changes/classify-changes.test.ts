import { expect, it } from 'vitest';
import { isGitFolder } from '../../mounts/sensitive/git-folder.ts';
import { findInstallation, isRecordedByGit } from './classify-changes.ts';

const file = (text = '', mode = 0o644) => ({ kind: 'file', mode, content: Buffer.from(text) });
const hash = 'a'.repeat(40);

it.each([
  ['.git/objects/ab/cdef0123456789cdef0123456789cdef012345', file(), true],
  ['.git/objects/pack/pack-1.idx', file(), true],
  ['.git/refs/heads/main', file(hash), true],
  ['.git/logs/HEAD', file(), true],
  ['.git/index', file(), true],
  ['.git/HEAD', file('ref: refs/heads/main\n'), true],
  ['.git/HEAD', file(`${hash}\n`), true],
  ['.git/FETCH_HEAD', file(`${hash}\t\tbranch 'main' of example.org\n`), true],
  ['.git/ORIG_HEAD', undefined, true],
  ['.git/modules/lib/refs/heads/main', file(hash), true],
  ['.git/HEAD', file('ref: ../x'), false],
  ['.git/HEAD', file('include'), false],
  ['.git/HEAD', undefined, false],
  ['.git/config', file(), false],
  ['.git/hooks/pre-commit', file(), false],
  ['.git/info/attributes', file(), false],
  ['.git/objects/info/alternates', file('/tmp'), false],
  ['.git/objects/info/http-alternates', file(), false],
  ['.git/commondir', file(), false],
  ['.git/gitdir', file(), false],
  ['.git/modules/lib/config', file(), false],
  ['.git/modules/lib/hooks/post-checkout', file(), false],
  ['.git/worktrees/w/gitdir', file(), false],
  ['.git/rebase-merge/git-rebase-todo', file('exec touch x'), false],
  ['.git/index', file('', 0o755), false],
  ['.git/refs/heads/l', { kind: 'link', mode: 0o777, content: Buffer.from('/etc') }, false],
  ['.git', file('gitdir: x'), false],
  ['bare/refs/heads/main', file(hash), false],
])('[T121] %s (%o) is recorded where git is allowed: %s', (path, after, isRecorded) => {
  expect(isRecordedByGit(path.split('/'), after)).toBe(isRecorded);
});

it.each([
  ['.git', [], true],
  ['a/.GIT/config', [], true],
  ['a/config', ['a/HEAD', 'a/config'], true],
  ['a/objects', ['a/HEAD', 'a/objects/', 'a/refs/'], true],
  ['a/hooks/x', ['a/HEAD', 'a/objects/', 'a/refs/'], true],
  ['a/branches', ['a/HEAD', 'a/commondir'], true],
  ['HEAD', ['HEAD', 'objects/', 'refs/'], true],
  ['src/a.ts', ['HEAD', 'objects/', 'refs/'], false],
  ['a/config', ['a/config'], false],
  ['a/HEAD', ['a/HEAD', 'a/objects/'], false],
])('[T121] %s belongs to git if there are %j: %s', (path, existing, isGit) => {
  const exists = (segments: readonly string[]) => {
    const name = segments.join('/');
    return existing.includes(name)
      ? ('file' as const)
      : existing.includes(`${name}/`)
        ? ('folder' as const)
        : undefined;
  };
  expect(isGitFolder(path.split('/'), exists)).toBe(isGit);
});

it.each(['\n', '\r', '\u2028', '\u2029'])(
  'a folder with the line break %j in its name does not hide installed packages',
  (lineBreak) => {
    const root = `a${lineBreak}b/node_modules`;
    expect(findInstallation(`${root}/x/index.js`)).toEqual({ root, isCache: false });
  },
);
