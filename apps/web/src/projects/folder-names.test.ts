import { describe, expect, it } from 'vitest';
import { folderNameOf, isFolderName, joinFolder } from './folder-names.ts';

describe('a folder in a folder', () => {
  it.each([
    ['/home/ann', '/home/ann/new'],
    ['/home/ann/', '/home/ann/new'],
    ['/', '/new'],
    ['C:\\Users\\Ann', 'C:\\Users\\Ann\\new'],
    ['C:\\', 'C:\\new'],
    ['\\\\server\\share', '\\\\server\\share\\new'],
  ])('[U83] in %s uses the machine’s separator', (parent, path) => {
    expect(joinFolder(parent, 'new')).toBe(path);
  });

  it.each([
    ['/home/ann/plans', 'plans'],
    ['/home/ann/plans/', 'plans'],
    ['C:\\Users\\Ann', 'Ann'],
    ['/', ''],
  ])('[U83] %s is named %j', (path, name) => {
    expect(folderNameOf(path)).toBe(name);
  });

  it('[U83] has a valid name', () => {
    expect(['Plans', 'plans 2026', '计划', '.hidden'].every(isFolderName)).toBe(true);
    expect(['', ' ', '.', '..', 'a/b', 'a\\b', 'c:', 'a\0'].some(isFolderName)).toBe(false);
  });
});
