import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { driverPath } from '../testing/driver-path.ts';
import type { ThreadEnding, ThreadLine } from '../testing/drivers/converse-and-die.ts';
import { killPoints } from '../testing/kill-points.ts';
import { threadPackage } from '../testing/packages/thread-package.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';

interface Ending extends ThreadEnding {
  readonly files: Record<string, string>;
}

interface Thread {
  readonly driver: string;
  readonly pkg: string;
  readonly lines: readonly ThreadLine[];
}

it('[V35] a conversation with a run that is killed at any event comes to the same end', async () => {
  const pkg = fileURLToPath(new URL('../../../../examples/hello-branch', import.meta.url));
  const driver = driverPath('converse-and-die');
  const whole = await dieAtMoments({
    driver,
    pkg,
    lines: [
      ['says', 'what can you do for me today, please tell'],
      ['chooses', '1'],
      ['leaves', '/stop'],
      ['says', 'thank you very much indeed'],
    ],
  });
  expect(whole.events).toBeGreaterThan(60);
  expect(whole.sent.map(headOf)).toEqual([
    'what can you do for me today, please tell',
    'RUN_NOTE',
    'thank you very much indeed',
  ]);
}, 1_800_000);

it('[V35] a conversation with a script with data and a question, and a run with data, comes to the same end', async () => {
  const pkg = await tempFolder();
  await writeTree(pkg, threadPackage({ 'tasks/review.md': '# Review\n\nAsk for the chapter. WAIT\n' }));
  const driver = driverPath('converse-and-die');
  const whole = await dieAtMoments({
    driver,
    pkg,
    lines: [
      ['says', 'what can you do for me today, please tell'],
      ['chooses', 'review\nMind the second part of it.'],
      ['leaves', '/stop'],
      ['chooses', 'go-data\nStart with the second one.'],
      ['leaves', '/stop'],
      ['says', 'thank you very much indeed'],
    ],
  });
  expect(whole.sent.map(headOf)).toEqual([
    'what can you do for me today, please tell',
    'DATA_CONTEXT',
    'SCRIPT_DIRECTIVE',
    'Mind the second part of it.',
    'RUN_NOTE',
    'thank you very much indeed',
  ]);
  expect(whole.said[1]).toContain('You answered "the answer"');
}, 1_800_000);

/** The result without a crash. */
async function dieAtMoments(thread: Thread): Promise<Ending> {
  const whole = await driveTwice(thread, 0);
  for (const moment of killPoints(whole.events, 3)) {
    const ending = await driveTwice(thread, moment);
    expect({ moment, ...comparable(ending) }).toEqual({ moment, ...comparable(whole) });
  }
  return whole;
}

async function driveTwice({ driver, pkg, lines }: Thread, moment: number): Promise<Ending> {
  const root = await tempFolder();
  const project = join(root, 'project');
  mkdirSync(project);
  const drive = (at: number) =>
    spawnSync(process.execPath, [driver, root, pkg, JSON.stringify(lines), String(at)], { encoding: 'utf8' });
  if (moment > 0) {
    const { signal, stderr } = drive(moment);
    expect({ moment, signal, stderr }).toEqual({ moment, signal: 'SIGKILL', stderr: '' });
  }
  const { stdout, stderr } = drive(0);
  expect({ moment, stderr }).toEqual({ moment, stderr: '' });
  return { ...(JSON.parse(stdout) as ThreadEnding), files: await readTree(project) };
}

/** Without ids and times, which differ, and without event numbers: a killed process left fewer events. */
function comparable({ state, events: _, ...ending }: Ending) {
  const steady = state.replace(/^runId: .*$/m, 'runId: …').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
  return { ...ending, state: steady };
}

function headOf(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}
