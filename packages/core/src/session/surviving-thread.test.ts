import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { ThreadEnding, ThreadPlay } from '../testing/crashes/converse.ts';
import { playOn } from '../testing/crashes/play-on.ts';
import { killPoints } from '../testing/kill-points.ts';
import { threadPackage } from '../testing/packages/thread-package.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';

interface Ending extends ThreadEnding {
  readonly files: Record<string, string>;
}

type Thread = Omit<ThreadPlay, 'root'>;

it('[V35] a conversation with a run that is killed at any event comes to the same end', async () => {
  const pkg = fileURLToPath(new URL('../../../../examples/hello-branch', import.meta.url));
  const whole = await dieAtMoments({
    pkg,
    lines: [
      ['says', 'what can you do for me today, please tell'],
      ['chooses', '1'],
      ['leaves', '/stop'],
      ['says', 'thank you very much indeed'],
    ],
  });
  expect(whole.moments.event).toBeGreaterThan(60);
  expect(whole.sent.map(headOf)).toEqual([
    'what can you do for me today, please tell',
    'RUN_NOTE',
    'thank you very much indeed',
  ]);
}, 1_800_000);

it('[V35] a conversation with a script with data and a question, and a run with data, comes to the same end', async () => {
  const pkg = await tempFolder();
  await writeTree(pkg, threadPackage({ 'tasks/review.md': '# Review\n\nAsk for the chapter. WAIT\n' }));
  const whole = await dieAtMoments({
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
  const whole = await play(thread, 0);
  for (const at of killPoints(whole.moments.event, 3)) {
    const ending = await play(thread, at);
    expect({ at, ...comparable(ending) }).toEqual({ at, ...comparable(whole) });
  }
  return whole;
}

async function play(thread: Thread, at: number): Promise<Ending> {
  const root = await tempFolder();
  const project = join(root, 'project');
  mkdirSync(project);
  const ending = await playOn('converse', { root, ...thread }, { kind: 'event', at });
  return { ...ending, files: await readTree(project) };
}

/** Without ids and times, which differ, and without event numbers: a killed process left fewer events. */
function comparable({ state, moments: _, ...ending }: Ending) {
  const steady = state.replace(/^runId: .*$/m, 'runId: …').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
  return { ...ending, state: steady };
}

function headOf(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}
