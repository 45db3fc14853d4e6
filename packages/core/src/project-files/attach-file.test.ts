import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOf, openProjectFilesRig } from '../testing/rigs/project-files-rig.ts';
import { toSafeName } from './attach-file.ts';

describe('an attached file', () => {
  it('[F8] is stored under a free name, never over another file, and can be undone', async () => {
    const { files, project } = await openProjectFilesRig({ content: { 'attachments/plan.pdf': 'mine' } });
    const bytes = Buffer.from([0x25, 0, 0xff]);
    const { path, change } = await files.attach('plan.pdf', bytes);
    expect(path).toBe('@project/attachments/plan 2.pdf');
    expect(await readFile(join(project, 'attachments/plan 2.pdf'))).toEqual(bytes);
    expect(await readFile(join(project, 'attachments/plan.pdf'), 'utf8')).toBe('mine');
    await files.undo(change?.id ?? '');
    await expect(readFile(join(project, 'attachments/plan 2.pdf'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('[F3] is not stored under the name of a secret file', async () => {
    const { files } = await openProjectFilesRig();
    expect(await codeOf(files.attach('id_rsa', Buffer.from('x')))).toBe('PermissionDenied');
    expect((await files.attach('../../.env', Buffer.from('x'))).path).toBe('@project/attachments/env');
  });

  it('has a name that is one visible part of a path, whatever it was called', () => {
    expect(toSafeName('C:\\x\\Bericht (2).PDF')).toEqual({ stem: 'Bericht (2)', extension: '.PDF' });
    expect(toSafeName('\u202egnp.exe')).toEqual({ stem: 'gnp', extension: '.exe' });
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const { stem, extension } = toSafeName(name);
        expect(`${stem}${extension}`).toMatch(/^[^/\\.\s][^/\\]*$/u);
        expect(stem.length).toBeLessThanOrEqual(120);
      }),
    );
  });
});
