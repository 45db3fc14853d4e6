import { expect, it } from 'vitest';
import { call, createScriptedModel, type ScriptedModel } from '../testing/models/scripted-model.ts';
import { samplePackage } from '../testing/packages/sample-package.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';

const write = (path: string) => call('fs_write', { path, content: 'by the model\n' });

function notesIn(model: ScriptedModel, request: number): string[] {
  const messages = model.requests[request]?.messages ?? [];
  const texts = messages.map(({ content }) => (typeof content === 'string' ? content : ''));
  return texts.flatMap((text) => text.match(/Since your last turn the user undid[\s\S]*?(?=\n\n|$)/g) ?? []);
}

it('[P14] sends undone and redone files with the next turn, once', async () => {
  const model = createScriptedModel([write('a.md'), write('b.md'), 'Done?', 'I see.', 'Yes?', 'I see that.']);
  const rig = await createRunRig({ package: samplePackage(), model, project: { 'a.md': 'mine\n' } });
  await rig.engine.start();
  await rig.undo({ all: true });
  expect(model.requests).toHaveLength(3);
  await rig.engine.say('Please look.');
  expect(notesIn(model, 3)).toEqual([
    expect.stringContaining(
      '- @project/a.md: undone, as it was before your change\n- @project/b.md: undone, no longer there',
    ),
  ]);
  await rig.engine.say('Anything else?');
  expect(notesIn(model, 4)).toHaveLength(1);
  await rig.redo({ all: true });
  await rig.engine.say('And now?');
  expect(notesIn(model, 5)[1]).toContain('- @project/b.md: done again, as you left it');
});

it('[P14] sends them in another process, after the anchor of the node that the run was reset to', async () => {
  const first = await createRunRig({
    package: samplePackage(),
    model: createScriptedModel([write('a.md'), 'Done?']),
    project: { 'a.md': 'mine\n' },
  });
  await first.engine.start();
  await first.rewind({ nodeId: 'step-01', undoesFiles: true });
  const model = createScriptedModel(['I see.']);
  const second = await first.reopen(model);
  await second.engine.resume();
  const [request] = model.requests;
  const text = JSON.stringify(request?.messages);
  expect(notesIn(model, 0)).toHaveLength(1);
  expect(text.indexOf('NODE_BRIEF')).toBeLessThan(text.indexOf('Since your last turn'));
  expect(text.indexOf('NODE_BRIEF')).toBeGreaterThan(0);
});
