import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nestedPackage } from '../../../packages/core/src/testing/packages/nested-package.ts';
import { createCliRig, parseLines } from './testing/cli-rig.ts';
import { ROOT } from './testing/running-command.ts';

const end = { type: 'end' } as const;
const waits = { body: 'Ask the user which one. WAIT for the answer.' };
const files = nestedPackage({
  '': { nodes: { start: {}, outer: { calls: './a/workflow.md' }, done: end } },
  a: { nodes: { ask: waits, over: end } },
});

async function startNested(...options: string[]) {
  const rig = await createCliRig();
  const folder = await rig.write('nested', files);
  const started = await rig.run('run', folder, '-p', 'project', '--rehearsal', ...options);
  expect(started.code).toBe(3);
  return { rig, ...started };
}

describe('a run that calls workflows, on the command line', () => {
  it('[Q44] shows what they do, takes an answer for them and goes all the way up', async () => {
    const { rig, out } = await startNested();
    expect(out).toMatch(/▣ Running the workflow a\n▸▸ 1\/2 ask\n/);
    expect(out).toContain('outer: The model asked you something.');
    expect(JSON.parse((await rig.run('runs', '--json')).out)).toHaveLength(1);
    const answered = await rig.run('answer', 'last', 'this one', '--rehearsal');
    expect(answered.out).toMatch(
      /▸▸ 2\/2 over\n[\s\S]*↩ a is complete\n[\s\S]*▸ 3\/3 done\n[\s\S]*✔ "sample" completed\./,
    );
    expect(answered.code).toBe(0);
  });

  it('[Q44] takes the id of a called run for the run at the root, and skips what it called', async () => {
    const { rig, out } = await startNested('--json');
    const { events, result } = parseLines(out);
    const [childId = ''] = events.flatMap((event) => (event.type === 'call.started' ? [event.childId] : []));
    expect(result).toMatchObject({ phase: 'WaitingUser', reason: { code: 'question' } });
    const skipped = await rig.run('skip', childId, '--rehearsal');
    expect(skipped.out).toMatch(/↩ a was skipped\n[\s\S]*completed\./);
    expect(skipped.code).toBe(0);
    const again = await rig.run('skip', childId, '--rehearsal');
    expect(again.err).toContain('not at a step that calls a workflow');
  });

  it('[Q44] validate shows which workflow a step calls, and the called workflow as well', async () => {
    const rig = await createCliRig();
    const { out, code } = await rig.run('validate', await rig.write('nested', files));
    expect(code).toBe(0);
    expect(out).toMatch(/▣ outer +outer → a\/workflow\.md\n[\s\S]*Workflow a\/workflow\.md — a, 2 nodes/);
  });

  it('[Q20] undo takes back and brings back what every depth changed', async () => {
    const rig = await createCliRig();
    const example = join(ROOT, 'examples', 'supper-plan');
    await rig.run('run', example, '-p', 'project', '--rehearsal', '-i', 'two friends');
    const files = ['dishes', 'recipe', 'tasting', 'shopping-list'].map((name) =>
      join(rig.project, 'artifacts', 'supper', `${name}.md`),
    );
    const listed = JSON.parse((await rig.run('undo', 'last', '--dry-run', '--json')).out) as {
      changes: { path: string }[];
    };
    expect(listed.changes.map(({ path }) => path.slice(path.lastIndexOf('/') + 1))).toEqual([
      'shopping-list.md',
      'tasting.md',
      'recipe.md',
      'dishes.md',
    ]);
    expect((await rig.run('undo', 'last', '--node', 'make-dish')).code).toBe(0);
    expect(files.map(existsSync)).toEqual([true, false, false, true]);
    expect((await rig.run('undo', 'last', '--all')).code).toBe(0);
    expect(files.map(existsSync)).toEqual([false, false, false, false]);
    expect((await rig.run('undo', 'last', '--all', '--redo')).code).toBe(0);
    expect(files.map(existsSync)).toEqual([true, true, true, true]);
  });
});
