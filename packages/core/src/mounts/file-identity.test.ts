import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../testing/temp-folder.ts';
import {
  ChangedMeanwhile,
  checkIdentity,
  isSameIdentity,
  lstatIfPresent,
  toIdentity,
} from './file-identity.ts';

const SEEN = { device: 1n, inode: 2n, mode: 0o100644n, size: 3n, changedNs: 4n };

describe('file identity', () => {
  it.each(['device', 'inode', 'mode', 'size', 'changedNs'] as const)(
    '[M10] differs if the file has another %s',
    (field) => {
      expect(isSameIdentity(SEEN, { ...SEEN })).toBe(true);
      expect(isSameIdentity(SEEN, { ...SEEN, [field]: 9n })).toBe(false);
    },
  );

  it('[M10] is compared with the current file, which may not exist', async () => {
    const path = join(await tempFolder(), 'a');
    checkIdentity(path, 'absent');
    expect(() => checkIdentity(path, SEEN)).toThrow(ChangedMeanwhile);
    writeFileSync(path, 'x');
    const stats = lstatIfPresent(path);
    if (!stats) throw new Error('it was written');
    checkIdentity(path, toIdentity(stats));
    expect(() => checkIdentity(path, SEEN)).toThrow(ChangedMeanwhile);
    expect(() => checkIdentity(path, 'absent')).toThrow(ChangedMeanwhile);
    rmSync(path);
    expect(() => checkIdentity(path, toIdentity(stats))).toThrow(ChangedMeanwhile);
  });
});
