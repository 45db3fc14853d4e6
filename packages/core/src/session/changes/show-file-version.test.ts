import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toAddress } from '../../store/work-address.ts';
import { call } from '../../testing/models/scripted-model.ts';
import { diskRigFor } from '../../testing/rigs/branching-run.ts';
import { showFileVersion } from './show-file-version.ts';

const README = '@project/README.md';

describe('a version of a file', () => {
  it('[J8] is its text before or after a change, also after an undo', async () => {
    const write = (path: string, content: string) => call('fs_write', { path, content });
    const rig = await diskRigFor(
      [write('README.md', '# One\n'), write('README.md', '# Two\n'), write('new.md', '新\n'), 'Well?'],
      { settings: { tools: { approval: 'autopilot' } } },
    );
    await rig.engine.start();
    const changes = rig.journal.list();
    const read = (index: number, side: 'before' | 'after' = 'after') => {
      const { path = '', changeId: change = 0 } = changes[index] ?? {};
      return showFileVersion(toAddress(rig.record), { path, change, side }, rig.store);
    };
    expect(await read(0, 'before')).toEqual({ path: README, text: '# Project\n' });
    expect(await read(0)).toEqual({ path: README, text: '# One\n' });
    expect(await read(1)).toEqual({ path: README, text: '# Two\n' });
    expect(await read(2)).toMatchObject({ text: '新\n' });
    expect(await read(2, 'before')).toMatchObject({ reason: 'absent' });
    await rig.undo({ all: true });
    expect(await read(1)).toEqual({ path: README, text: '# Two\n' });
    await expect(
      showFileVersion(toAddress(rig.record), { path: README, change: 99, side: 'after' }, rig.store),
    ).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    const blobs = join(rig.paths.journal, 'blobs');
    for (const name of await readdir(blobs)) await rm(join(blobs, name));
    expect(await read(1)).toEqual({ path: README, reason: 'not-kept' });
  });

  it('[J8] is its bytes if it is not text', async () => {
    const rig = await diskRigFor([call('fs_write', { path: 'plan.png', content: 'now text' }), 'Well?'], {
      settings: { tools: { approval: 'autopilot' } },
    });
    const bytes = Buffer.from([0x89, 0x50, 0x00, 0xff]);
    await writeFile(join(rig.project, 'plan.png'), bytes);
    await rig.engine.start();
    const [{ path, changeId: change } = { path: '', changeId: 0 }] = rig.journal.list();
    const read = (side: 'before' | 'after') =>
      showFileVersion(toAddress(rig.record), { path, change, side }, rig.store);
    expect(await read('before')).toEqual({ path, base64: bytes.toString('base64') });
    expect(await read('after')).toEqual({ path, text: 'now text' });
  });
});
