import { readdir, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toAddress } from '../../store/work-address.ts';
import { call } from '../../testing/models/scripted-model.ts';
import { diskRigFor } from '../../testing/rigs/branching-run.ts';
import type { DiskRunRig } from '../../testing/rigs/run-rig.ts';
import { showFileDiff } from './show-file-diff.ts';

const write = (path: string, content: string) => call('fs_write', { path, content });
const settings = { tools: { approval: 'autopilot' } };
const README = '@project/README.md';

async function changed(): Promise<DiskRunRig> {
  const rig = await diskRigFor([write('README.md', '# One\n'), write('README.md', '# Two\n'), 'Well?'], {
    settings,
  });
  await rig.engine.start();
  return rig;
}

const look = ({ record, store }: DiskRunRig, path: string, change?: number) =>
  showFileDiff(toAddress(record), { path, change }, store);

describe('the diff of a file', () => {
  it('[J8] goes from before the first change to the current file, or over one change', async () => {
    const rig = await changed();
    expect((await look(rig, README)).diff).toMatch(/^-# Project\n\+# Two$/m);
    const [first] = rig.journal.list();
    expect((await look(rig, README, first?.changeId)).diff).toMatch(/^-# Project\n\+# One$/m);
    await rig.undo({ all: true });
    expect(await look(rig, README)).toEqual({ path: README, reason: 'same' });
    // The diff is available after an undo.
    expect((await look(rig, README, first?.changeId)).diff).toContain('+# One');
    await unlink(join(rig.project, 'README.md'));
    expect((await look(rig, README)).diff).toMatch(/^\+\+\+ \/dev\/null[\s\S]*^-# Project$/m);
  });

  it('[J8] goes up to a change, whatever became of the file since', async () => {
    const rig = await changed();
    const until = rig.journal.list()[0]?.changeId;
    await writeFile(join(rig.project, 'README.md'), '# Later\n');
    const { diff } = await showFileDiff(toAddress(rig.record), { path: README, until }, rig.store);
    expect(diff).toMatch(/^-# Project\n\+# One$/m);
  });

  it('[J8] reports why there is no diff', async () => {
    const rig = await changed();
    const blobs = join(rig.paths.journal, 'blobs');
    for (const name of await readdir(blobs)) await writeFile(join(blobs, name), 'damaged');
    expect(await look(rig, README)).toEqual({ path: README, reason: 'not-kept' });
    await rm(blobs, { recursive: true });
    expect(await look(rig, README)).toEqual({ path: README, reason: 'not-kept' });
    await writeFile(join(rig.project, 'README.md'), Buffer.alloc(1024 * 1024 + 1, 'x'));
    expect((await look(rig, README)).reason).toMatch(/too-large|not-kept/);
  });

  it('[J8] does not read outside the project', async () => {
    const rig = await changed();
    const outside = join(rig.project, '..', 'outside.md');
    await writeFile(outside, 'outside');
    await unlink(join(rig.project, 'README.md'));
    await symlink(outside, join(rig.project, 'README.md'));
    await expect(look(rig, README)).rejects.toMatchObject({ code: 'PermissionDenied' });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (path) => {
        await expect(look(rig, path)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
        await expect(look(rig, `@project/${path}`)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
      }),
    );
  });
});
