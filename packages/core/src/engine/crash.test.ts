import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import { killPoints } from '../testing/kill-points.ts';
import { readTree, tempFolder } from '../testing/temp-folder.ts';

const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));

interface Ending {
  readonly stop: unknown;
  readonly state: string;
  readonly called: readonly string[];
  /** Outcome of each node in the evidence sheet. */
  readonly evidence: readonly string[];
  readonly files: Record<string, string>;
  readonly events: number;
  readonly clockCalls: number;
}

describe.each(['create-story-micro', 'hello-branch', 'supper-plan'])('%s, killed', (name) => {
  it.each(['event', 'clock'] as const)(
    '[L31] [S70] at any %s, has the same result, and so have the runs that it called, and no proof is lost',
    async (mode) => {
      const driver = driverPath('run-and-die');
      const whole = await driveTwice(driver, name, mode, 0);
      expect(whole.stop).toEqual({ phase: 'Completed' });
      const moments = mode === 'event' ? whole.events : whole.clockCalls;
      expect(moments).toBeGreaterThan(50);
      for (const moment of killPoints(moments, 3)) {
        const ending = await driveTwice(driver, name, mode, moment);
        expect({ moment, ...comparable(ending) }).toEqual({ moment, ...comparable(whole) });
      }
    },
    1_800_000,
  );
});

/** Runs one process that dies at the moment, and one that continues. */
async function driveTwice(driver: string, name: string, mode: string, moment: number): Promise<Ending> {
  const root = await tempFolder();
  const project = join(root, 'project');
  mkdirSync(project);
  if (name === 'create-story-micro') cpSync(join(examples, 'demo-project'), project, { recursive: true });
  const drive = (at: number) =>
    spawnSync(process.execPath, [driver, root, join(examples, name), mode, String(at)], { encoding: 'utf8' });
  if (moment > 0) {
    const { signal, stderr } = drive(moment);
    expect({ moment, signal, stderr }).toEqual({ moment, signal: 'SIGKILL', stderr: '' });
  }
  const { stdout, stderr } = drive(0);
  expect({ moment, stderr }).toEqual({ moment, stderr: '' });
  return { ...(JSON.parse(stdout) as Omit<Ending, 'files'>), files: await readTree(project) };
}

/** Ids and times differ from run to run. */
function comparable({ stop, state, called, files, evidence }: Ending) {
  const steady = (text: string): string =>
    text.replace(/^runId: .*$/m, 'runId: …').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
  return { stop, state: steady(state), called: called.map(steady), files, evidence };
}
