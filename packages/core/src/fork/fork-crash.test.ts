import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeTree } from '../base/remove-tree.ts';
import { createRuntime } from '../runtime.ts';
import { playOn } from '../testing/crashes/play-on.ts';
import { driveToEnd } from '../testing/drive-to-end.ts';
import { killPoints } from '../testing/kill-points.ts';
import { canLosePower } from '../testing/lossy-disk.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const PACKAGE = join(import.meta.dirname, '../../../../examples/supper-plan');

it.skipIf(!canLosePower).each(['copy', 'same'] as const)(
  '[W10] a fork (%s) whose process is killed exists whole or not at all, and the next one removes what is left',
  async (target) => {
    const folder = await tempFolder();
    const [root, saved] = [join(folder, 'root'), join(folder, 'saved')];
    mkdirSync(join(root, 'project'), { recursive: true });
    const runtime = createRuntime({ storeRoot: join(root, 'store') });
    await driveToEnd(runtime, PACKAGE, join(root, 'project'));
    // A project is known by its path, so each fork begins in the same folder.
    cpSync(root, saved, { recursive: true });
    const forkKilledAt = async (at: number) => {
      await removeTree(root);
      cpSync(saved, root, { recursive: true });
      return playOn('fork', { root, target }, { kind: 'disk', at });
    };
    const whole = await forkKilledAt(0);
    const [expected] = whole.forks;
    expect(expected).toMatchObject({ isProved: true });
    expect(expected?.children).toBeGreaterThan(0);
    expect(whole.moments.disk).toBeGreaterThan(10);
    for (const step of killPoints(whole.moments.disk, 4)) {
      const { found, forks, left, original } = await forkKilledAt(step);
      expect({ step, left }).toEqual({ step, left: [] });
      for (const fork of found) expect({ step, fork }).toEqual({ step, fork: expected });
      expect({ step, forks }).toEqual({ step, forks: [expected] });
      expect({ step, original }).toEqual({ step, original: whole.original });
    }
  },
  600_000,
);
