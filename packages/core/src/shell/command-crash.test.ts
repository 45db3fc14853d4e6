import { spawnSync } from 'node:child_process';
import { readdir, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { findRunner } from '../mounts/sensitive/runs-later.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { openJournal } from '../store/work-files/journal.ts';
import { driverPath } from '../testing/driver-path.ts';
import { killPoints } from '../testing/kill-points.ts';
import { hasSandbox } from '../testing/require-sandbox.ts';
import { readTree, tempFolder, writeTree } from '../testing/temp-folder.ts';
import { createProgramChanges } from '../tools/changes/program-changes.ts';

const COMMAND =
  'echo new > a; echo more >> b; rm c; mkdir -p d/e; echo x > d/f; chmod 600 m; ln -sfn b l; echo {} > package.json; echo all: > Makefile';

async function createProject(): Promise<string> {
  const root = await tempFolder();
  await writeTree(root, {
    'project/b': 'old\n',
    'project/c': 'c',
    'project/m': 'm',
    'project/package.json': '{"a":1}',
  });
  await symlink('c', join(root, 'project/l'));
  return root;
}

const dieAt = (root: string, step: number) =>
  spawnSync(process.execPath, [driverPath('command-and-die'), root, String(step), COMMAND], {
    encoding: 'utf8',
  });

/** As a later process opens the Work. */
async function reopen(root: string) {
  const isSecret = createSecretCheck();
  const project = join(root, 'project');
  const files = createMountedFs({ project, pkg: undefined, state: join(root, 'state') }, isSecret);
  const warnings: string[] = [];
  const journal = await openJournal({
    folder: join(root, 'journal'),
    files,
    clock: () => new Date(),
    warn: (message) => warnings.push(message),
  });
  const programs = createProgramChanges({
    folder: join(root, 'views/commands'),
    files,
    isSecret,
    findRunner,
    journal,
  });
  return { project, journal, programs, warnings };
}

it.skipIf(!hasSandbox)(
  '[T79] a kill between the end of a command and the end of its commit leaves each file old or new',
  async () => {
    const whole = await createProject();
    const before = await readTree(join(whole, 'project'));
    const steps = Number(dieAt(whole, 0).stdout);
    const after = await readTree(join(whole, 'project'));
    expect(after).toMatchObject({ a: 'new\n', 'package.json': '{}\n', Makefile: 'all:\n' });
    for (const point of killPoints(steps, 8)) {
      const root = await createProject();
      expect(dieAt(root, point).signal).toBe('SIGKILL');
      const { project, journal, programs, warnings } = await reopen(root);
      expect(warnings).toEqual([]);
      const now = await readTree(project);
      for (const path of new Set([...Object.keys(before), ...Object.keys(after), ...Object.keys(now)]))
        if (!path.endsWith('/'))
          expect([before[path], after[path]], `${path} at ${point}`).toContain(now[path]);
      expect(['b', 'c']).toContain(await readlink(join(project, 'l')));
      const held = await programs.resume('call');
      if (held?.kind === 'action') {
        // The free changes were made before, and these can be approved without the command.
        expect(now).toMatchObject({ a: 'new\n', b: 'old\nmore\n' });
        await held.prepared.commit();
        expect(await readTree(project)).toEqual(after);
      }
      expect(await readdir(join(root, 'views/commands')).catch(() => [])).toEqual([]);
      await journal.undo({ all: true });
      expect(await readTree(project)).toEqual(before);
    }
  },
  240_000,
);
