import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Comparison } from '@crewagent/protocol/compare';
import { describe, expect, it } from 'vitest';
import { describeComparison } from './print/describe-comparison.ts';
import { cellsOf } from './print/text/cells.ts';
import { createCliRig } from './testing/cli-rig.ts';

const PACKAGE = join(import.meta.dirname, '../../../examples/supper-plan');

async function completedRun() {
  const rig = await createCliRig();
  const { code } = await rig.run('run', PACKAGE, '-p', 'project', '--rehearsal', '-i', 'Four');
  expect(code).toBe(0);
  return rig;
}

describe('crewagent fork', () => {
  it('[W10] forks into a copy beside the project, says how to go on, and shows where it comes from and its forks', async () => {
    const rig = await completedRun();
    const { code, out } = await rig.run('fork', 'last', '--at', 'close');
    expect(code).toBe(0);
    expect(out).toContain('forked ');
    expect(out).toContain('project-fork');
    expect(existsSync(join(rig.folder, 'project-fork/artifacts/supper/recipe.md'))).toBe(true);
    expect(existsSync(join(rig.folder, 'project-fork/artifacts/supper/shopping-list.md'))).toBe(false);
    const shown = await rig.run('show', 'last');
    expect(shown.out).toContain('@ close  its events up to there are proved');
    const resumed = await rig.run('resume', 'last', '--plain');
    expect(resumed.code).toBe(0);
    expect(existsSync(join(rig.folder, 'project-fork/artifacts/supper/shopping-list.md'))).toBe(true);
    const list = JSON.parse((await rig.run('runs', '--json')).out) as { runId: string }[];
    const original = list.at(-1)?.runId ?? '';
    expect((await rig.run('show', original)).out).toMatch(/forks +\w{8} @ close/);
  });

  it('refuses a step where the run never was, two places, and the same folder without consent', async () => {
    const rig = await completedRun();
    const nowhere = await rig.run('fork', 'last', '--at', 'nowhere');
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('It was at: choose-dish')]);
    expect((await rig.run('fork', 'last', '--at', 'close', '--into', 'a', '--worktree', 'b')).code).toBe(2);
    const same = await rig.run('fork', 'last', '--at', 'close', '--same-folder');
    expect(same.out).toContain('removed       artifacts/supper/shopping-list.md');
    expect([same.code, same.err]).toEqual([2, expect.stringContaining('--yes')]);
    const list = join(rig.project, 'artifacts/supper/shopping-list.md');
    expect(existsSync(list)).toBe(true);
    const done = await rig.run(
      'fork',
      'last',
      '--at',
      'close',
      '--same-folder',
      '--yes',
      '--start',
      '--plain',
    );
    expect(done.code).toBe(0);
    expect(existsSync(list)).toBe(true);
  });

  it('[W12] sets variables and takes another answer', async () => {
    const rig = await completedRun();
    const forked = await rig.run('fork', 'last', '--at', 'close', '--set', 'dish=soup', '--json');
    expect(JSON.parse(forked.out)).toMatchObject({ ok: true, nodeId: 'close' });
    const shown = JSON.parse((await rig.run('show', 'last', '--json')).out) as { view: { state: object } };
    expect(shown.view.state).toMatchObject({ variables: { dish: 'soup' } });
    const misspelt = await rig.run('fork', 'last', '--at', 'close', '--set', 'dihs=soup', '--into', 'none');
    expect([misspelt.code, misspelt.err]).toEqual([2, expect.stringContaining('Did you mean "dish"?')]);
    const none = await rig.run('fork', 'last', '--at', 'close', '--answer', 'x', '--into', 'none');
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('asked nothing')]);
    expect(existsSync(join(rig.folder, 'none'))).toBe(false);
  });
});

describe('crewagent compare', () => {
  it('[W14] shows where runs part, what each left, and the difference of a file', async () => {
    const rig = await completedRun();
    await rig.run('fork', 'last', '--at', 'close', '--set', 'dish=soup', '--start', '--plain');
    const [fork, original] = (JSON.parse((await rig.run('runs', '--json')).out) as { runId: string }[]).map(
      ({ runId }) => runId,
    );
    const args = [original ?? '', fork ?? ''];
    const { out } = await rig.run('compare', ...args, '--json');
    const comparison = JSON.parse(out) as Comparison;
    expect(comparison.runs[1]?.forkedFrom).toMatchObject({ workId: original, nodeId: 'close' });
    expect(comparison.partsAt).toBeUndefined();
    const differs = comparison.rows.filter(({ isSame }) => !isSame).map(({ part, key }) => [part, key]);
    expect(differs).toContainEqual(['variables', 'dish']);
    const table = await rig.run('compare', ...args);
    expect(table.out).toContain('≠ dish');
    expect(table.out).toContain('are the same; --all shows them');
    const whole = await rig.run('compare', ...args, '--all');
    expect(whole.out).toContain('Write the shopping list');
    expect(whole.out).not.toContain('choose-dish');
    const diff = await rig.run('compare', ...args, '--diff', 'artifacts/supper/recipe.md');
    expect(diff.out).toBe('Both runs left the same content.\n');
    const path = 'artifacts/supper/shopping-list.md';
    await writeFile(join(rig.project, 'unrelated.md'), await readFile(join(rig.project, path)));
    expect((await rig.run('compare', ...args, '--diff', 'unrelated.md')).code).toBe(2);
    expect((await rig.run('compare', original ?? '')).code).toBe(2);
  });

  it('[W14] fits a terminal of 60 to 120 columns', () => {
    const run = { workId: '0190-abcdef12', projectId: 'p', title: 'T', version: '1', createdAt: '' };
    const runs = [1, 2, 3].map((at) => ({
      ...run,
      model: `a-model-with-a-long-name-${at}`,
      phase: 'Completed' as const,
    }));
    const rows = [
      {
        part: 'path' as const,
        key: '0',
        values: ['a', '很长的步骤名称很长的步骤名称很长的步骤名称', 'b'],
        isSame: false,
      },
      {
        part: 'answers' as const,
        key: `${'node '.repeat(20)}`,
        values: ['x'.repeat(300), null, 'y'],
        isSame: false,
      },
      { part: 'result' as const, key: 'costUsd', values: [0.01, 1.5, null], isSame: false },
    ];
    for (const width of [60, 80, 120]) {
      const lines = describeComparison({ runs, rows }, { width, withSame: true }, (_, text) => text);
      expect(Math.max(...lines.map(cellsOf))).toBeLessThanOrEqual(width);
      expect(lines.join('\n')).toContain('$0.0100');
    }
  });
});
