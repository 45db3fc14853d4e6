import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { driverPath } from '../../testing/driver-path.ts';
import { killPoints } from '../../testing/kill-points.ts';
import { branchingPackage } from '../../testing/packages/branching-package.ts';
import { tempFolder, writeTree } from '../../testing/temp-folder.ts';

interface Ending {
  readonly found: { readonly version: string; readonly isSame: boolean; readonly nodeId: string };
  readonly stop: unknown;
  readonly stepsCompleted: readonly string[];
  readonly moments: number;
}

/** The second version names its first step differently. */
async function writeVersions(root: string): Promise<[string, string]> {
  const files = branchingPackage();
  const [before, after] = [join(root, 'before'), join(root, 'after')];
  await writeTree(before, files);
  const next = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path.replace('step-01', 'step-one'),
      // The text of the step itself stays, which shows that it was renamed.
      (path.endsWith('step-01.md')
        ? text.replace('step-01', 'step-one')
        : text.replaceAll('step-01', 'step-one')
      ).replace(/"version": ?"[^"]+"/, '"version": "9.0.0"'),
    ]),
  );
  await writeTree(after, next);
  return [before, after];
}

async function driveTwice(moment: number): Promise<Ending> {
  const root = await tempFolder();
  mkdirSync(join(root, 'project'));
  const versions = await writeVersions(root);
  const drive = (at: number) =>
    spawnSync(process.execPath, [driverPath('upgrade-and-die'), root, ...versions, String(at)], {
      encoding: 'utf8',
    });
  if (moment > 0) {
    const { signal, stderr } = drive(moment);
    expect({ moment, signal, stderr }).toEqual({ moment, signal: 'SIGKILL', stderr: '' });
  }
  const { stdout, stderr } = drive(0);
  expect({ moment, stderr }).toEqual({ moment, stderr: '' });
  return JSON.parse(stdout) as Ending;
}

it('[S16] a run that is killed while it moves to another version has the old or the new one, and completes', async () => {
  const whole = await driveTwice(0);
  expect(whole.stop).toEqual({ phase: 'Completed' });
  expect(whole.stepsCompleted[0]).toBe('step-one');
  expect(whole.moments).toBeGreaterThan(2);
  for (const moment of killPoints(whole.moments, 4)) {
    const { found, stop, stepsCompleted } = await driveTwice(moment);
    const isNew = found.version === '9.0.0';
    expect({ moment, found, stop, first: stepsCompleted[0] }).toEqual({
      moment,
      found: { version: found.version, isSame: true, nodeId: isNew ? 'step-one' : 'step-01' },
      stop: { phase: 'Completed' },
      first: isNew ? 'step-one' : 'step-01',
    });
  }
}, 600_000);
