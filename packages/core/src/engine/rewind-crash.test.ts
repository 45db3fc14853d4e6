import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Kill } from '../testing/crashes/moments.ts';
import { playOn } from '../testing/crashes/play-on.ts';
import { killPoints } from '../testing/kill-points.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const examples = fileURLToPath(new URL('../../../../examples', import.meta.url));

const NODE = 'step-03-extract-context';

describe('a rewind that is killed', () => {
  it.each(['event', 'clock'] as const)(
    '[S16] at any %s, completes after a resume from the old or the new node',
    async (kind) => {
      const whole = await play({ kind, at: 0 });
      expect(whole).toMatchObject({ stop: { phase: 'Completed' }, wasAt: NODE });
      const count = whole.moments[kind];
      expect(count).toBeGreaterThan(2);
      for (const at of killPoints(count, 2)) {
        const ending = await play({ kind, at });
        expect({ at, stop: ending.stop }).toEqual({ at, stop: { phase: 'Completed' } });
        expect(ending.state).toMatch(/^currentNodeId: end-99$/m);
      }
    },
    1_800_000,
  );
});

async function play(kill: Kill) {
  const root = await tempFolder();
  cpSync(join(examples, 'demo-project'), join(root, 'project'), { recursive: true });
  return playOn('rewind', { root, pkg: join(examples, 'create-story-micro'), nodeId: NODE }, kill);
}
