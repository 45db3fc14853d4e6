import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toAddress } from '../store/work-address.ts';
import { readTree } from '../testing/file-tree.ts';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { nestedPackage } from '../testing/packages/nested-package.ts';
import { diskRigFor } from '../testing/rigs/branching-run.ts';
import { CONTEXT, createDiskRunRig, type DiskRunRig } from '../testing/rigs/run-rig.ts';
import { previewResume } from './preview-resume.ts';

const preview = ({ record, store }: DiskRunRig) =>
  previewResume(toAddress(record), {
    store,
    context: CONTEXT,
    now: () => new Date('2026-01-31T09:30:00.000Z'),
  });
const write = (path: string, content: string) => call('fs_write', { path, content });

describe('the preview of a resume', () => {
  it('[W22] names calls of unknown outcome, the node, the next request and files that others changed, and changes nothing', async () => {
    const rig = await diskRigFor(
      [call('fs_read', { path: 'README.md' }), write('notes.md', 'mine'), write('notes.md', 'more'), 'Well?'],
      { settings: { tools: { approval: 'autopilot' } } },
    );
    await rig.engine.start();
    await rig.close();
    // As a process leaves it that is killed during the last call.
    const lines = (await readFile(rig.paths.log, 'utf8')).split('\n');
    const last = lines.findLastIndex((line) => line.includes('"type":"tool.started"'));
    await writeFile(rig.paths.log, `${lines.slice(0, last + 1).join('\n')}\n`);
    await writeFile(join(rig.project, 'README.md'), '# By hand\n');
    const before = await readTree(rig.store.root);
    const shown = await preview(rig);
    expect(shown).toMatchObject({
      runId: rig.record.workId,
      nodeId: 'step-01',
      isOpen: false,
      unknownCalls: [{ name: 'fs.write', path: 'notes.md' }],
      changed: [
        { path: '@project/README.md', kind: 'changed', by: 'read' },
        { path: '@project/notes.md', kind: 'changed', by: 'write' },
      ],
    });
    expect(shown.pending).toBeUndefined();
    expect(shown.request.parts.map(({ layer }) => layer)).toContain('tools');
    expect(await readTree(rig.store.root)).toEqual(before);
  });

  it('[W22] says what a person is asked first', async () => {
    const rig = await diskRigFor([write('notes.md', 'x')], { settings: { tools: { approval: 'ask' } } });
    await rig.engine.start();
    await rig.close();
    expect(await preview(rig)).toMatchObject({
      unknownCalls: [],
      pending: { kind: 'approval', texts: [expect.stringContaining('@project/notes.md') as string] },
    });
  });

  it('[W22] is about the called run that goes on, and works while a process has it open', async () => {
    const rig = await createDiskRunRig({
      package: nestedPackage({
        '': { nodes: { start: {}, review: { calls: './review/workflow.md' }, done: { type: 'end' } } },
        review: { nodes: { check: {}, over: { type: 'end' } } },
      }),
      model: createScriptedModel([finish('start', 'review'), 'Which one?']),
    });
    await rig.engine.start();
    const { childId } = rig.eventsOf('call.started')[0] ?? {};
    expect(await preview(rig)).toMatchObject({
      runId: childId,
      nodeId: 'check',
      isOpen: true,
      unknownCalls: [],
    });
  });

  it('[W22] of a complete run names no step', async () => {
    const rig = await diskRigFor([
      write('artifacts/k.md', 'x'),
      finish('step-01', 'decide-02', { key: 'k' }),
      finish('decide-02', 'step-03'),
      finish('step-03', 'end-99'),
      finish('end-99'),
      'All done.',
    ]);
    await rig.engine.start();
    expect((await preview(rig)).nodeId).toBeUndefined();
  });
});
