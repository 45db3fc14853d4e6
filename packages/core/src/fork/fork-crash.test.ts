import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { killPoints } from '../testing/kill-points.ts';
import { canLosePower } from '../testing/lossy-disk.ts';
import { tempFolder } from '../testing/temp-folder.ts';

interface Fork {
  readonly isProved: boolean;
  readonly children: number;
  readonly files: Readonly<Record<string, string>>;
}

interface Ending {
  readonly steps: number;
  /** Forks that the killed process left, and those after another one has forked. */
  readonly found: readonly Fork[];
  readonly forks: readonly Fork[];
  /** Hidden entries beside the project. */
  readonly left: readonly string[];
  readonly original: Readonly<Record<string, string>>;
}

const PACKAGE = join(import.meta.dirname, '../../../../examples/supper-plan');

async function forkTwice(kind: string, step: number): Promise<Ending> {
  const root = await tempFolder();
  const drive = (at: number) =>
    spawnSync(process.execPath, [driverPath('fork-and-die'), root, PACKAGE, kind, String(at)], {
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

it.skipIf(!canLosePower).each(['copy', 'same'])(
  '[W10] a fork (%s) whose process is killed exists whole or not at all, and the next one removes what is left',
  async (kind) => {
    const whole = await forkTwice(kind, 0);
    const [expected] = whole.forks;
    expect(expected).toMatchObject({ isProved: true });
    expect(expected?.children).toBeGreaterThan(0);
    expect(whole.steps).toBeGreaterThan(10);
    for (const step of killPoints(whole.steps, 4)) {
      const { found, forks, left, original } = await forkTwice(kind, step);
      expect({ step, left }).toEqual({ step, left: [] });
      for (const fork of found) expect({ step, fork }).toEqual({ step, fork: expected });
      expect({ step, forks }).toEqual({ step, forks: [expected] });
      expect({ step, original }).toEqual({ step, original: whole.original });
    }
  },
  600_000,
);
