/** Works of a store that ends with the process wait for no disk. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { canLosePower, watchDisk } from '../../testing/lossy-disk.ts';
import { tempFolder } from '../../testing/temp-folder.ts';

describe.runIf(canLosePower)('files of mounts', () => {
  const stepsOf = async (isThrowaway: boolean): Promise<number> => {
    const project = await tempFolder();
    await mkdir(join(project, 'old'));
    let steps = 0;
    const disk = await watchDisk(project, { onStep: () => void steps++ });
    try {
      const files = createMountedFs({ project, pkg: undefined, state: undefined, isThrowaway }, () => false);
      const path = { mount: '@project', segments: ['new', 'a.md'] } as const;
      await files.replace(path, Buffer.from('1'), { tempName: '.temp', expected: 'absent' });
      await files.remove(path);
    } finally {
      disk.stop();
    }
    return steps;
  };

  it('are synced and renamed into place; those that nobody keeps are only renamed', async () => {
    expect(await stepsOf(true)).toBe(1);
    expect(await stepsOf(false)).toBeGreaterThanOrEqual(4);
  });
});
