import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Kill } from '../testing/crashes/moments.ts';
import { playOn } from '../testing/crashes/play-on.ts';
import { killPoints } from '../testing/kill-points.ts';
import { readTree, tempFolder } from '../testing/temp-folder.ts';

const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));

type Ending = Awaited<ReturnType<typeof play>>;

describe.each(['create-story-micro', 'hello-branch', 'supper-plan'])('%s, killed', (name) => {
  it.each(['event', 'clock'] as const)(
    '[L31] [S70] at any %s, has the same result, and so have the runs that it called, and no proof is lost',
    async (kind) => {
      const whole = await play(name, { kind, at: 0 });
      expect(whole.stop).toEqual({ phase: 'Completed' });
      const count = whole.moments[kind];
      expect(count).toBeGreaterThan(50);
      for (const at of killPoints(count, 3)) {
        const ending = await play(name, { kind, at });
        expect({ at, ...comparable(ending) }).toEqual({ at, ...comparable(whole) });
      }
    },
    1_800_000,
  );
});

async function play(name: string, kill: Kill) {
  const root = await tempFolder();
  const project = join(root, 'project');
  mkdirSync(project);
  if (name === 'create-story-micro') cpSync(join(examples, 'demo-project'), project, { recursive: true });
  const ending = await playOn('run', { root, pkg: join(examples, name) }, kill);
  return { ...ending, files: await readTree(project) };
}

/** Ids and times differ from run to run. */
function comparable({ stop, state, called, files, evidence }: Ending) {
  const steady = (text: string): string =>
    text.replace(/^runId: .*$/m, 'runId: …').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
  return { stop, state: steady(state), called: called.map(steady), files, evidence };
}
