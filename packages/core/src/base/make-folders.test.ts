import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/temp-folder.ts';
import { makeFolders } from './make-folders.ts';

describe('makeFolders', () => {
  it('creates what is missing, and says where it began', async () => {
    const folder = await tempFolder();
    expect(makeFolders(join(folder, 'a/b/c'))).toBe(join(folder, 'a'));
    expect(makeFolders(join(folder, 'a/b/d'))).toBe(join(folder, 'a/b/d'));
    expect(makeFolders(join(folder, 'a/b/c'))).toBeUndefined();
    expect(statSync(join(folder, 'a/b/c')).isDirectory()).toBe(true);
  });

  it('follows links to folders, and refuses files and links to nothing', async () => {
    const folder = await tempFolder();
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'real'), join(folder, 'link'), 'junction');
    symlinkSync(join(folder, 'gone'), join(folder, 'broken'), 'junction');
    expect(makeFolders(join(folder, 'link/a'))).toBe(join(folder, 'link/a'));
    for (const name of ['file', 'file/a', 'broken', 'broken/a/b'])
      expect(() => makeFolders(join(folder, name)), name).toThrow('ENOTDIR');
  });
});
