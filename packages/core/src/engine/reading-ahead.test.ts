import { describe, expect, it } from 'vitest';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { step } from '../testing/packages/sample-package.ts';
import { rigFor } from '../testing/rigs/branching-run.ts';
import type { RunRig, RunRigOptions } from '../testing/rigs/run-rig.ts';

const PACKAGE = branchingPackage({
  'steps/step-01.md': `${step('step-01')}Apples.\n`,
  'steps/step-03.md': `${step('step-03')}Apples and pears.\n`,
  'assets/fruit.md': 'Apples, too.\n',
});
const read = (path: string) => call('fs_read', { path });

const rigOf = (
  script: Parameters<typeof createScriptedModel>[0],
  more: Partial<RunRigOptions> = {},
): Promise<RunRig> => rigFor([], { package: PACKAGE, model: createScriptedModel(script), ...more });

const answersOf = (rig: RunRig): Record<string, unknown>[] =>
  rig.eventsOf('tool.ended').map(({ content }) => JSON.parse(content) as Record<string, unknown>);

describe('steps that a run has not reached', () => {
  it('[S24] cannot be read in any spelling, and the error says how to reach them', async () => {
    const rig = await rigOf([
      read('@pkg/steps/step-03.md'),
      read('steps/step-03.md'),
      read('@pkg/./steps//step-03.md'),
      read('@pkg/Steps/STEP-03.md'),
      call('fs_read', { path: '@pkg/steps/step-03.md', startLine: 1, endLine: 2 }),
      call('fs_search', { path: '@pkg/steps/step-03.md', query: 'pears' }),
      'Well.',
    ]);
    await rig.engine.start();
    for (const answer of answersOf(rig))
      expect(answer).toMatchObject({
        ok: false,
        error: { code: 'E_STEP_NOT_ACTIVE', details: { nodeId: 'step-03' } },
      });
    expect(answersOf(rig)[0]).toMatchObject({
      error: {
        message: expect.stringContaining(
          'Complete the current node and move on; you receive the step then.',
        ) as string,
      },
    });
    expect(rig.eventsOf('tool.ended').every(({ outcome }) => outcome === 'refused')).toBe(true);
  });

  it('[S24] are not found by searches; other files of the package and visited steps are', async () => {
    const rig = await rigOf([
      call('fs_search', { path: '@pkg', query: 'apples' }),
      finish('step-01', 'decide-02'),
      finish('decide-02', 'step-03'),
      call('fs_search', { path: '@pkg', query: 'apples' }),
      'Well.',
    ]);
    await rig.engine.start();
    const paths = answersOf(rig).map(({ files }) =>
      (files as { path: string }[] | undefined)?.map(({ path }) => path),
    );
    expect(paths[0]).toEqual(['@pkg/assets/fruit.md', '@pkg/steps/step-01.md']);
    expect(paths[3]).toEqual(['@pkg/assets/fruit.md', '@pkg/steps/step-01.md', '@pkg/steps/step-03.md']);
  });

  it('[S24] can be read once the run has reached them, also after a rewind', async () => {
    const model = createScriptedModel([
      finish('step-01', 'decide-02'),
      {
        calls: [finish('decide-02', 'step-03').calls?.[0], read('@pkg/steps/step-03.md').calls?.[0]].flatMap(
          (one) => one ?? [],
        ),
      },
      read('@pkg/steps/step-01.md'),
      'Well.',
      read('@pkg/steps/step-03.md'),
      'Again.',
    ]);
    const first = await rigFor([], { package: PACKAGE, model });
    await first.engine.start();
    expect(answersOf(first).map(({ ok }) => ok)).toEqual([true, true, true, true]);
    await first.engine.rewind({ nodeId: 'step-01', wasThere: true, undo: () => Promise.resolve() });
    const second = await first.reopen();
    await second.engine.resume();
    expect(answersOf(second)).toMatchObject([{ ok: true, path: '@pkg/steps/step-03.md' }]);
  });

  it('[S24] can be read if a person allows reading ahead', async () => {
    const rig = await rigOf([read('@pkg/steps/step-03.md'), 'Well.'], {
      settings: { tools: { readAhead: true } },
    });
    await rig.engine.start();
    expect(answersOf(rig)).toMatchObject([{ ok: true }]);
  });
});
