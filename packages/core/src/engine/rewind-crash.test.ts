import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { killPoints } from '../testing/kill-points.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));

interface Ending {
  readonly stop: unknown;
  readonly state: string;
  /** The node at which the second process found the run. */
  readonly wasAt: string;
  readonly moments: Readonly<Record<'event' | 'clock', number>>;
}

const NODE = 'step-03-extract-context';

describe('a rewind that is killed', () => {
  it.each(['event', 'clock'] as const)(
    '[S16] at any %s, completes after a resume from the old or the new node',
    async (mode) => {
      const driver = driverPath('rewind-and-die');
      const whole = await driveTwice(driver, mode, 0);
      expect(whole).toMatchObject({ stop: { phase: 'Completed' }, wasAt: NODE });
      const count = whole.moments[mode];
      expect(count).toBeGreaterThan(2);
      for (const moment of killPoints(count, 2)) {
        const ending = await driveTwice(driver, mode, moment);
        expect({ moment, stop: ending.stop }).toEqual({ moment, stop: { phase: 'Completed' } });
        expect(ending.state).toMatch(/^currentNodeId: end-99$/m);
      }
    },
    1_800_000,
  );
});

/** Runs one process that dies at the moment, and one that continues. */
async function driveTwice(driver: string, mode: string, moment: number): Promise<Ending> {
  const root = await tempFolder();
  const project = join(root, 'project');
  mkdirSync(project);
  cpSync(join(examples, 'demo-project'), project, { recursive: true });
  const drive = (at: number) =>
    spawnSync(
      process.execPath,
      [driver, root, join(examples, 'create-story-micro'), NODE, mode, String(at)],
      {
        encoding: 'utf8',
      },
    );
  if (moment > 0) {
    const { signal, stderr } = drive(moment);
    expect({ moment, signal, stderr }).toEqual({ moment, signal: 'SIGKILL', stderr: '' });
  }
  const { stdout, stderr } = drive(0);
  expect({ moment, stderr }).toEqual({ moment, stderr: '' });
  return JSON.parse(stdout) as Ending;
}
