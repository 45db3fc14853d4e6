import { chmod, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileChangesResponseSchema } from '@crewagent/protocol/api/files';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { sha256Of } from '../base/sha256.ts';
import { codeOf, openProjectFilesRig, refusalOf } from '../testing/rigs/project-files-rig.ts';
import { readTree, writeTree } from '../testing/temp-folder.ts';

const hashOf = (text: string): string => sha256Of(Buffer.from(text));

describe('undo and redo', () => {
  it('[F8] revert all changes to the beginning and replay them', async () => {
    const { project, files } = await openProjectFilesRig({
      content: { 'a.md': 'one', 'dir/run.sh': '#!', 'dir/sub/deep.bin': Buffer.alloc(3_000_000, 7) },
    });
    await chmod(join(project, 'dir/run.sh'), 0o751);
    await chmod(join(project, 'dir/sub'), 0o750);
    await utimes(join(project, 'dir/run.sh'), 1_500_000_000, 1_500_000_000);
    await symlink('../a.md', join(project, 'dir/link'));
    await mkdir(join(project, 'dir/empty'));
    const trees = [await readTree(project)];
    const step = async (work: Promise<unknown>): Promise<void> => {
      await work;
      trees.push(await readTree(project));
    };
    await step(files.save({ path: '@project/a.md', text: 'two', ifMatchSha256: hashOf('one') }));
    await step(files.createFile('@project/new/deep/b.md', 'b'));
    await step(files.createFolder('@project/made/here'));
    await step(files.move('@project/dir', '@project/made/dir'));
    await step(files.move('@project/a.md', '@project/A.md'));
    await step(files.remove('@project/made/dir'));
    await step(files.remove('@project/A.md'));
    await step(files.save({ path: '@project/A.md', text: 'anew', ifMatchSha256: null }));
    const changes = await files.changes();
    expect(fileChangesResponseSchema.parse({ changes })).toEqual({ changes });
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'created @project/A.md',
      'removed @project/A.md',
      'removed @project/made/dir',
      'moved @project/a.md',
      'moved @project/dir',
      'created @project/made/here',
      'created @project/new/deep/b.md',
      'saved @project/a.md',
    ]);
    for (let round = 0; round < 2; round++) {
      for (const [index, { id }] of changes.entries()) {
        expect((await files.undo(id)).isUndone).toBe(true);
        expect(await readTree(project)).toEqual(trees[trees.length - 2 - index]);
      }
      const file = await stat(join(project, 'dir/run.sh'));
      expect([file.mode & 0o777, file.mtimeMs]).toEqual([0o751, 1_500_000_000_000]);
      expect((await stat(join(project, 'dir/sub'))).mode & 0o777).toBe(0o750);
      for (const [index, { id }] of changes.toReversed().entries()) {
        expect((await files.redo(id)).isUndone).toBe(false);
        expect(await readTree(project)).toEqual(trees[index + 1]);
      }
    }
    const [last] = changes;
    expect((await files.redo(last?.id ?? '')).isUndone).toBe(false);
    expect(await codeOf(files.undo('01890a5d-ac96-774b-bcce-b302099a8057'))).toBe('FILE_NOT_FOUND');
    expect(await codeOf(files.undo('../../x'))).toBe('FILE_NOT_FOUND');
  });

  it('[F8] keep a folder while the change it was created for exists', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'd/a': 'origin' } });
    await files.remove('@project/d');
    await files.save({ path: '@project/d/b', text: '1', ifMatchSha256: null });
    await files.remove('@project/d/b');
    await files.save({ path: '@project/d/a', text: '1', ifMatchSha256: null });
    for (const { id } of await files.changes()) await files.undo(id);
    expect(await readTree(project)).toEqual({ 'd/': '', 'd/a': 'origin' });
  });

  it('[F8] undo changes made after a rename under the new name', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'a.md': 'one' } });
    const { change: saved } = await files.save({
      path: '@project/a.md',
      text: 'two',
      ifMatchSha256: hashOf('one'),
    });
    const moved = await files.move('@project/a.md', '@project/b.md');
    expect(await codeOf(files.undo(saved?.id ?? ''))).toBe('FILE_CONFLICT');
    await files.save({ path: '@project/b.md', text: 'three', ifMatchSha256: hashOf('two') });
    // Undoing the rename does not touch later content.
    await files.undo(moved.id);
    expect(await readTree(project)).toEqual({ 'a.md': 'three' });
  });

  it('[F8] do not undo a save over a later edit', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'a.md': 'one' } });
    const { change } = await files.save({ path: '@project/a.md', text: 'two', ifMatchSha256: hashOf('one') });
    const made = await files.createFile('@project/b.md', 'b');
    await writeTree(project, { 'a.md': 'theirs', 'b.md': 'theirs' });
    for (const id of [change?.id ?? '', made.change?.id ?? '']) {
      const refused = await refusalOf(files.undo(id));
      expect(refused.code).toBe('FILE_CONFLICT');
    }
    expect(await readTree(project)).toEqual({ 'a.md': 'theirs', 'b.md': 'theirs' });
  });

  it('[F8] do not undo a move onto another entry, or of another entry', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'a.md': 'a', 'x.md': 'x' } });
    const moved = await files.move('@project/a.md', '@project/b.md');
    await writeTree(project, { 'a.md': 'theirs' });
    expect(await codeOf(files.undo(moved.id))).toBe('FILE_CONFLICT');
    await rm(join(project, 'a.md'));
    await files.move('@project/b.md', '@project/c.md');
    await files.move('@project/x.md', '@project/b.md');
    const refused = await refusalOf(files.undo(moved.id));
    expect(refused).toMatchObject({
      code: 'FILE_CONFLICT',
      message: `"@project/b.md" was moved later. Undo that change first.`,
    });
    expect(await readTree(project)).toEqual({ 'b.md': 'x', 'c.md': 'a' });
    for (const { id } of await files.changes()) await files.undo(id);
    expect(await readTree(project)).toEqual({ 'a.md': 'a', 'x.md': 'x' });
  });

  it('[F8] do not restore onto another entry, nor remove a changed entry again', async () => {
    const { project, files } = await openProjectFilesRig({
      content: { 'dir/a.md': 'a', 'dir/sub/b.md': 'b' },
    });
    const removed = await files.remove('@project/dir');
    await writeTree(project, { 'dir/theirs.md': 't' });
    expect(await codeOf(files.undo(removed.id))).toBe('FILE_CONFLICT');
    expect(await readTree(project)).toEqual({ 'dir/': '', 'dir/theirs.md': 't' });
    await rm(join(project, 'dir'), { recursive: true });
    await files.undo(removed.id);
    const whole = await readTree(project);
    for (const [path, content] of [
      ['dir/sub/b.md', 'B'],
      ['dir/new.md', ''],
    ] as const) {
      const before = await readFile(join(project, path)).catch(() => undefined);
      await writeTree(project, { [path]: content });
      expect(await codeOf(files.redo(removed.id))).toBe('FILE_CONFLICT');
      expect(await readFile(join(project, path), 'utf8')).toBe(content);
      if (before) await writeFile(join(project, path), before);
      else await rm(join(project, path));
    }
    expect(await readTree(project)).toEqual(whole);
    await files.redo(removed.id);
    expect(await readTree(project)).toEqual({});
    await rm(project, { recursive: true });
    await mkdir(project);
    await files.undo(removed.id);
    expect(await readTree(project)).toEqual(whole);
  });

  it('[F8] leave a folder that is in use, or whose parent is missing', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'p/q/a.md': 'a' } });
    const made = await files.createFolder('@project/x/y');
    await writeTree(project, { 'x/y/theirs': '' });
    expect(await codeOf(files.undo(made.id))).toBe('FILE_CONFLICT');
    const removed = await files.remove('@project/p/q');
    await rm(join(project, 'p'), { recursive: true });
    expect(await codeOf(files.undo(removed.id))).toBe('FILE_CONFLICT');
    expect(await readTree(project)).toEqual({ 'x/': '', 'x/y/': '', 'x/y/theirs': '' });
  });

  it('[F8] report a redo that was superseded by a newer change', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'a.md': 'one' } });
    const { change } = await files.save({ path: '@project/a.md', text: 'two', ifMatchSha256: hashOf('one') });
    await files.undo(change?.id ?? '');
    await files.save({ path: '@project/a.md', text: 'three', ifMatchSha256: hashOf('one') });
    expect(await codeOf(files.redo(change?.id ?? ''))).toBe('FILE_CONFLICT');
    expect(await readTree(project)).toEqual({ 'a.md': 'three' });
  });

  it('[F8] do not restore a damaged snapshot, and leave nothing partial', async () => {
    const { project, journal, files } = await openProjectFilesRig({
      content: { 'dir/a.md': 'a', 'dir/b.md': 'b' },
    });
    const removed = await files.remove('@project/dir');
    const data = join(journal, 'tree', `${removed.id}.data`);
    await writeFile(data, 'aX');
    expect(await codeOf(files.undo(removed.id))).toBe('FILE_CONFLICT');
    await rm(data);
    expect(await codeOf(files.undo(removed.id))).toBe('FILE_CONFLICT');
    await rm(join(journal, 'tree', `${removed.id}.kept.json`));
    expect(await codeOf(files.undo(removed.id))).toBe('FILE_CONFLICT');
    expect(await readdir(project)).toEqual([]);
  });

  it('[F8] revert any sequence from its end; out of order, each is rejected or done, and leaves no temp files', async () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd/a', 'd/b', 'd', 'e');
    const action = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), name, text: fc.constantFrom('1', '2', '3') }),
      fc.record({ kind: fc.constant('move' as const), name, to: name }),
      fc.record({ kind: fc.constant('remove' as const), name }),
      fc.record({ kind: fc.constant('folder' as const), name }),
      fc.record({ kind: fc.constantFrom('undo' as const, 'redo' as const), which: fc.nat(20) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (actions) => {
        const { project, files } = await openProjectFilesRig({
          content: { a: 'origin-a', 'd/a': 'origin-da' },
        });
        for (const step of actions) {
          try {
            if (step.kind === 'write') {
              const found = await files.read(`@project/${step.name}`).catch(() => undefined);
              const ifMatchSha256 = found && !found.isTooLarge ? found.sha256 : null;
              await files.save({ path: `@project/${step.name}`, text: step.text, ifMatchSha256 });
            } else if (step.kind === 'move') await files.move(`@project/${step.name}`, `@project/${step.to}`);
            else if (step.kind === 'remove') await files.remove(`@project/${step.name}`);
            else if (step.kind === 'folder') await files.createFolder(`@project/${step.name}`);
            else {
              const all = await files.changes();
              const chosen = all[step.which % Math.max(all.length, 1)];
              if (chosen) await files[step.kind](chosen.id);
            }
          } catch (error) {
            expect(error).toBeInstanceOf(CrewError);
          }
        }
        // Undone from latest to first, everything is as at the beginning, whatever was undone before.
        for (const { id, isUndone } of (await files.changes()).toReversed())
          if (isUndone) await files.redo(id).catch(() => undefined);
        const origin = { a: 'origin-a', 'd/': '', 'd/a': 'origin-da' };
        const hasNoUndo = actions.every(({ kind }) => kind !== 'undo' && kind !== 'redo');
        for (const { id } of await files.changes()) {
          const outcome = await files.undo(id).catch((error: unknown) => error);
          if (hasNoUndo) expect(outcome).not.toBeInstanceOf(Error);
        }
        if (hasNoUndo) expect(await readTree(project)).toEqual(origin);
        const left = await readdir(project, { recursive: true });
        expect(left.filter((entry) => /\.(?:removing|restoring|writing)-/.test(entry))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});
