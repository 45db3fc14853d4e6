import { foldStory } from '@crewagent/protocol/story/fold-story';
import { outputsStillMissing } from '@crewagent/protocol/story/node-visits';
import { expect, it } from 'vitest';
import { createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { samplePackage } from '../testing/packages/sample-package.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';

it('[S9] applies to the last node as well, and to a second attempt in another process', async () => {
  const model = createScriptedModel([
    finish('step-01', 'end-99'),
    finish('end-99'),
    'I will think about it.',
    finish('end-99'),
    'All done.',
  ]);
  const first = await createRunRig({
    package: samplePackage(({ graph }) => {
      for (const node of graph.nodes) if (node.id === 'end-99') node.outputs = ['artifacts/summary.md'];
    }),
    model,
  });
  expect(await first.engine.start()).toMatchObject({ reason: { code: 'reply' } });
  expect(first.eventsOf('tool.ended').map(({ code }) => code)).toEqual([undefined, 'E_OUTPUTS_MISSING']);
  const second = await first.reopen();
  expect(await second.engine.resume()).toMatchObject({ phase: 'Completed' });
  expect(second.eventsOf('warning')).toMatchObject([{ code: 'OUTPUT_MISSING' }]);
  const view = foldStory(first.record.workId, [...first.events, ...second.events]);
  expect(outputsStillMissing(view.visits, view.state)).toEqual(['artifacts/summary.md']);
});

it('[S9] a file written before its step was seen does not satisfy that step, and the refusal says so', async () => {
  const write = (path: string) => ({ name: 'fs_write', arguments: { path, content: 'Too early.\n' } });
  const leave = (nodeId: string, next?: string) => ({
    name: 'runtime_complete_node',
    arguments: { nodeId, next },
  });
  const model = createScriptedModel([
    { calls: [write('artifacts/plan.md'), write('artifacts/summary.md'), leave('step-01', 'end-99')] },
    { calls: [leave('end-99')] },
    { calls: [write('artifacts/summary.md'), leave('end-99')] },
    'All done.',
  ]);
  const rig = await createRunRig({
    package: samplePackage(({ graph }) => {
      for (const node of graph.nodes)
        node.outputs =
          node.id === 'end-99' ? ['artifacts/plan.md', 'artifacts/summary.md'] : ['artifacts/plan.md'];
    }),
    model,
  });
  expect(await rig.engine.start()).toMatchObject({ phase: 'Completed' });
  const refused = rig.eventsOf('tool.ended').filter(({ outcome }) => outcome === 'refused');
  expect(refused).toMatchObject([
    {
      code: 'E_OUTPUTS_MISSING',
      message: expect.stringContaining(
        'artifacts/summary.md was written before this step was seen, so it does not count. Write it as this step says.',
      ) as string,
    },
  ]);
  expect(refused[0]?.message).not.toContain('plan.md');
});
