import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, createToolRig, type ToolRig } from '../../testing/rigs/tool-rig.ts';
import { readTree } from '../../testing/temp-folder.ts';
import type { Journal } from '../journal.ts';
import { openJournal } from './journal.ts';

/** Tools and journal wired as in a run: changes by tools can be undone. */
async function createWiredRig(
  project: Record<string, string | Buffer>,
): Promise<ToolRig & { journal: Journal; at(node: string): void }> {
  let journal: Journal | undefined;
  let nodeId = 'step-01';
  const rig = await createToolRig({
    project,
    recorder: async (files, root) => {
      const opened = await openJournal({
        folder: join(root, 'run', 'journal'),
        files,
        clock: () => new Date('2026-01-31T09:30:00Z'),
        warn: () => undefined,
      });
      journal = opened;
      return { begin: (change) => opened.begin({ ...change, nodeId }) };
    },
  });
  if (!journal) throw new Error('the journal was not opened');
  return Object.assign(rig, {
    journal,
    at: (node: string) => {
      nodeId = node;
    },
  });
}

describe('changes by tools', () => {
  it('[J2] can be undone by call, by node and by run, and redone', async () => {
    const rig = await createWiredRig({ 'docs/a.md': 'old\r\n', 'b.md': 'b' });
    const start = await readTree(rig.project);
    await rig.call('fs.write', { path: 'docs/a.md', content: 'one\n' });
    await rig.call('fs.write', { path: 'artifacts/new/c.md', content: 'c' });
    rig.at('decide-02');
    await rig.call('fs.apply_patch', { path: 'docs/a.md', find: 'one', replace: 'two' });
    await rig.call('fs.write', { path: 'b.md', content: 'bb' });
    const end = await readTree(rig.project);
    expect(rig.journal.list().map(({ path, kind, nodeId }) => [path, kind, nodeId])).toEqual([
      ['@project/docs/a.md', 'changed', 'step-01'],
      ['@project/artifacts/new/c.md', 'created', 'step-01'],
      ['@project/docs/a.md', 'changed', 'decide-02'],
      ['@project/b.md', 'changed', 'decide-02'],
    ]);
    await rig.journal.undo({ nodeId: 'decide-02' });
    expect(await readFile(join(rig.project, 'docs/a.md'), 'utf8')).toBe('one\r\n');
    expect(await readFile(join(rig.project, 'b.md'), 'utf8')).toBe('b');
    await rig.journal.undo({ all: true });
    expect(await readTree(rig.project)).toEqual(start);
    await rig.journal.redo({ all: true });
    expect(await readTree(rig.project)).toEqual(end);
  });

  it('[J2] are not undone in a file that a person edited since', async () => {
    const rig = await createWiredRig({ 'a.md': 'old', 'b.md': 'old' });
    await rig.call('fs.write', { path: 'a.md', content: 'new' });
    await rig.call('fs.write', { path: 'b.md', content: 'new' });
    await writeFile(join(rig.project, 'a.md'), 'mine');
    const outcomes = await rig.journal.undo({ all: true });
    expect(outcomes.map(({ path, outcome }) => [path, outcome]).sort()).toEqual([
      ['@project/a.md', 'conflict'],
      ['@project/b.md', 'restored'],
    ]);
    expect(await readFile(join(rig.project, 'a.md'), 'utf8')).toBe('mine');
  });

  it('[J8] are not listed if they were rejected or failed', async () => {
    const rig = await createWiredRig({ 'a.md': 'old' });
    expect(codeOf(await rig.call('fs.write', { path: '@pkg/x.md', content: 'x' }))).toBe(
      'E_SANDBOX_VIOLATION',
    );
    expect(codeOf(await rig.call('fs.write', { path: '@state/scratch.md', content: 'x' }))).toBe('ok');
    await writeFile(join(rig.state, 'workflow.md'), 'damaged');
    expect(codeOf(await rig.call('fs.write', { path: 'artifacts/x.md', content: 'x' }))).toBe(
      'E_INVALID_FRONTMATTER',
    );
    expect(rig.journal.list()).toEqual([]);
    expect(await readTree(rig.project)).toEqual({ 'a.md': 'old' });
    expect(rig.bugs).toEqual([]);
  });
});
