import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stagingName, sweepTempFiles } from '../base/staging.ts';
import { driverPath } from '../testing/driver-path.ts';
import { killCount } from '../testing/kill-points.ts';
import { SAMPLE_STATE } from '../testing/sample-run.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { readWorkflowState } from '../workflow/workflow-state.ts';

describe('a process killed while writing state', () => {
  it('[S16] leaves the old or the new document, and no temp file after the next start', async () => {
    const root = await tempFolder();
    const state = join(root, 'run', 'state');
    let last = 0;
    const kills = killCount(12);
    for (let kill = 0; kill < kills; kill++) {
      const child = spawn(process.execPath, [driverPath('patch-forever'), root], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      // The child reports each patch; it is killed during the next one.
      for (let reported = 0; reported < 3 + kill; reported++) await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
      const text = await readFile(join(state, 'workflow.md'), 'utf8');
      const parsed = await readWorkflowState(text);
      if (!parsed.ok) throw new Error(parsed.error.message);
      const count = Number(parsed.state.variables.count);
      expect(count).toBeGreaterThanOrEqual(last);
      expect(text.endsWith('Body stays.\n')).toBe(true);
      last = count;
    }
    expect(last).toBeGreaterThan(kills);
    await sweepTempFiles(state);
    expect((await readdir(state)).sort()).toEqual(['workflow.md']);
  });

  it('[M10] keeps temp files of running processes and all other files during the sweep', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'deep'));
    const mine = stagingName('writing');
    const dead = `.writing-999999999-${'0'.repeat(16)}`;
    for (const name of [mine, dead, join('deep', dead), '.writing-notes', 'workflow.md'])
      await writeFile(join(folder, name), SAMPLE_STATE);
    await sweepTempFiles(folder);
    expect((await readdir(folder, { recursive: true })).sort()).toEqual(
      ['.writing-notes', mine, 'deep', 'workflow.md'].sort(),
    );
  });
});
