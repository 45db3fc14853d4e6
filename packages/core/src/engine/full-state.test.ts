import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { samplePackage } from '../testing/packages/sample-package.ts';
import { createRunRig } from '../testing/rigs/run-rig.ts';

const NOTE = { path: '@project/artifacts/note.md', content: '# Note\n' };

it('[S15] waits if the state document has no room for an artifact, and continues once a person made room', async () => {
  const model = createScriptedModel([
    call('fs.write', NOTE),
    call('fs.write', NOTE),
    finish('step-01', 'end-99'),
    finish('end-99'),
    'Done.',
  ]);
  const rig = await createRunRig({ package: samplePackage(), model });
  const before = await rig.stateText();
  await rig.writeState(before + 'x'.repeat(1_048_576 - Buffer.byteLength(before) - 5));

  expect(await rig.engine.start()).toMatchObject({ phase: 'WaitingUser', reason: { code: 'STATE_FULL' } });
  await expect(readFile(join(rig.project, 'artifacts/note.md'))).rejects.toThrow('ENOENT');
  expect(rig.bugs).toEqual([]);

  await rig.writeState(before);
  expect(await rig.engine.resume()).toMatchObject({ phase: 'Completed' });
  expect(await readFile(join(rig.project, 'artifacts/note.md'), 'utf8')).toBe('# Note\n');
  expect(rig.engine.memory.state.artifacts).toEqual(['artifacts/note.md']);
});
