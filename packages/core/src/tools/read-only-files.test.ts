import { chmod, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createToolRig } from '../testing/rigs/tool-rig.ts';
import { readTree } from '../testing/temp-folder.ts';

const DIFF = '--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n';

describe('a read-only file', () => {
  it.each([
    ['fs.write', { content: 'new' }],
    ['fs.write', { content: 'new', mode: 'append' }],
    ['fs.apply_patch', { patches: [{ operation: 'replace', find: 'old', replace: 'new' }] }],
    ['fs.apply_patch', { patches: [{ operation: 'diff', diff: DIFF }] }],
  ] as const)('[T11] is not written, and nothing on disk changes: %s %j', async (tool, args) => {
    for (const mode of [0o400, 0o444, 0o555]) {
      const rig = await createToolRig({ project: { 'a.md': 'old\n' }, policy: { approval: 'ask' } });
      await chmod(join(rig.project, 'a.md'), mode);
      const before = await readTree(rig.project);
      // Rejected before asking the user for approval.
      const result = await rig.call(tool, { path: 'a.md', ...args });
      expect(result).toMatchObject({
        error: {
          code: 'E_SANDBOX_VIOLATION',
          message:
            '"@project/a.md" is read-only, so it was not changed; write to another file, or ask the user to make it writable.',
          details: { reason: 'read-only' },
        },
      });
      expect(await readTree(rig.project)).toEqual(before);
      expect((await stat(join(rig.project, 'a.md'))).mode & 0o777).toBe(mode);
    }
  });

  it('[T11] is not written through a link', async () => {
    const { call, project } = await createToolRig({ project: { 'a.md': 'old\n' } });
    await chmod(join(project, 'a.md'), 0o400);
    await symlink('a.md', join(project, 'link.md'));
    const result = await call('fs.write', { path: 'link.md', content: 'new' });
    expect(result).toMatchObject({ error: { details: { reason: 'read-only' } } });
    expect(await readFile(join(project, 'a.md'), 'utf8')).toBe('old\n');
  });

  it('[T11] is not written if it became read-only after the user was asked', async () => {
    const rig = await createToolRig({ project: { 'a.md': 'old\n' }, policy: { approval: 'ask' } });
    const args = { path: 'a.md', content: 'new\n' };
    const asked = await rig.outcome('fs.write', args);
    if (asked.kind !== 'approval') throw new Error('the user was not asked');
    await chmod(join(rig.project, 'a.md'), 0o400);
    const result = await rig.call('fs.write', args, {
      approval: { isGranted: true, action: asked.action },
    });
    expect(result).toMatchObject({ error: { details: { reason: 'read-only' } } });
    expect(await readFile(join(rig.project, 'a.md'), 'utf8')).toBe('old\n');
  });

  it('[T11] is a file that nobody may write; other files are written and keep their mode', async () => {
    for (const mode of [0o200, 0o600, 0o644, 0o464]) {
      const { call, project } = await createToolRig({ project: { 'a.md': 'old\n' } });
      await chmod(join(project, 'a.md'), mode);
      if (process.geteuid?.() !== 0 && (mode & 0o400) === 0) continue;
      expect(await call('fs.write', { path: 'a.md', content: 'new' })).toMatchObject({ ok: true });
      expect((await stat(join(project, 'a.md'))).mode & 0o777).toBe(mode);
    }
  });
});
