import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { killPoints } from '../testing/kill-points.ts';
import { canLosePower } from '../testing/lossy-disk.ts';
import { tempFolder } from '../testing/temp-folder.ts';

interface Ending {
  readonly steps: number;
  readonly carried: readonly string[];
}

const METHOD = join(import.meta.dirname, '../../../../apps/cli/src/testing/two-inputs.md');

async function rerunTwice(step: number): Promise<Ending> {
  const root = await tempFolder();
  const drive = (at: number) =>
    spawnSync(process.execPath, [driverPath('rerun-and-die'), root, METHOD, String(at)], {
      encoding: 'utf8',
    });
  if (step > 0) {
    const { signal, stderr } = drive(step);
    expect({ step, signal, stderr }).toEqual({ step, signal: 'SIGKILL', stderr: '' });
  }
  const { stdout, stderr } = drive(0);
  expect({ step, stderr }).toEqual({ step, stderr: '' });
  return JSON.parse(stdout) as Ending;
}

it.skipIf(!canLosePower)(
  '[W24] a rerun whose process is killed goes on, carries each step over once, and leaves the original as it is',
  async () => {
    const { steps, ...whole } = await rerunTwice(0);
    expect(whole).toMatchObject({ phase: 'Completed', reruns: 1, isSame: true });
    expect(whole.carried).toContain('second');
    expect(steps).toBeGreaterThan(10);
    for (const step of killPoints(steps, 4)) {
      const { steps: _, ...killed } = await rerunTwice(step);
      expect({ step, ...killed }).toEqual({ step, ...whole });
    }
  },
  1_800_000,
);
