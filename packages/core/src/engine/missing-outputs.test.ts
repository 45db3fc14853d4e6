import { outputsStillMissing } from '@crewagent/protocol/node-visits';
import { foldRun } from '@crewagent/protocol/run-view';
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
  const view = foldRun(first.record.workId, [...first.events, ...second.events]);
  expect(outputsStillMissing(view.visits, view.state)).toEqual(['artifacts/summary.md']);
});
