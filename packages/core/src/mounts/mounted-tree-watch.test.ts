import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../testing/temp-folder.ts';
import { walk } from './folder-walk.ts';
import { WATCHES_TREES, watchPath } from './mounted-tree.ts';

describe('watching a folder', () => {
  it('[F15] continues for a whole tree, as on macOS and Windows, after the folder is closed', async () => {
    expect(WATCHES_TREES).toBe(['darwin', 'win32'].includes(process.platform));
    const root = await tempFolder();
    const seen: string[] = [];
    let wake = (): void => undefined;
    const openPath = walk(root, [], { enterLast: true });
    const stop = watchPath(openPath.folderPath, {
      isDeep: true,
      onTouched: (segments) => {
        seen.push(segments.join('/'));
        wake();
      },
      onLost: () => undefined,
    });
    onTestFinished(stop);
    openPath.close();
    const until = async (wanted: string): Promise<void> => {
      while (!seen.includes(wanted))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    };
    await mkdir(join(root, 'sub'));
    await until('sub');
    await writeFile(join(root, 'sub/new.md'), 'x');
    await until('sub/new.md');
  });

  it('[F15] does not keep the process alive', async () => {
    const root = await tempFolder();
    const watchers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;
    const before = watchers();
    const stop = watchPath(root, { isDeep: false, onTouched: () => undefined, onLost: () => undefined });
    onTestFinished(stop);
    expect(watchers()).toBe(before);
  });
});
