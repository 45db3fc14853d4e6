import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, createScriptedModel, finish, type ScriptLine } from '../../testing/models/scripted-model.ts';
import { samplePackage, step, workflow } from '../../testing/packages/sample-package.ts';
import { createRunRig, type RunRig } from '../../testing/rigs/run-rig.ts';

const write = (path: string): ScriptLine => call('fs_write', { path, content: 'x' });
const read = (path: string): ScriptLine => call('fs_read', { path });
const END: readonly ScriptLine[] = [finish('step-01', 'end-99'), finish('end-99'), 'Done.'];
const PROJECT = { 'docs/in.md': 'in', 'docs/other.md': 'other', 'src/a.ts': 'a' };

async function rigOf(
  { flow = '', keys = '' }: { readonly flow?: string; readonly keys?: string },
  script: readonly ScriptLine[],
  approval = 'autopilot',
): Promise<RunRig> {
  return createRunRig({
    package: samplePackage(undefined, {
      'workflow.md': workflow(flow),
      'steps/step-01.md': step('step-01', 'step', keys),
    }),
    model: createScriptedModel(script),
    project: PROJECT,
    settings: { tools: { approval } },
  });
}

const askedFor = (rig: RunRig): (string | undefined)[] =>
  rig.eventsOf('approval.requested').map(({ action }) => action?.target);

describe('a workflow that declares what it writes', () => {
  const flow = 'writes: [artifacts/**, "docs/{name}.md"]\n';

  it('[T200] asks about any other file, also under autopilot, and says why', async () => {
    const script = [write('artifacts/a/b.md'), write('docs/new.md'), write('src/a.ts'), ...END];
    const rig = await rigOf({ flow }, script);
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'approval' } });
    expect(rig.eventsOf('approval.requested')).toMatchObject([
      {
        tool: 'fs.write',
        action: {
          target: '@project/src/a.ts',
          undeclared: { by: 'writes', access: 'write', globs: ['artifacts/**', 'docs/{name}.md'] },
        },
      },
    ]);
    expect(await rig.engine.approve({ decision: 'no' })).toEqual({ phase: 'Completed' });
    expect(rig.eventsOf('tool.ended')[2]).toMatchObject({ code: 'TOOL_REFUSED' });
  });

  it('[T200] asks about a patch of several files if one of them is not declared', async () => {
    const rig = await rigOf({ flow: 'writes: [src/**]\n' }, [
      call('fs_apply_patch', {
        patches: [
          { path: 'docs/in.md', operation: 'replace', find: 'in', replace: 'out' },
          { path: 'src/a.ts', operation: 'replace', find: 'a', replace: 'b' },
        ],
      }),
      ...END,
    ]);
    await rig.engine.start();
    expect(rig.eventsOf('approval.requested')).toHaveLength(1);
  });

  it('[T200] remembers consent for longer, as for every change', async () => {
    const rig = await rigOf({ flow }, [write('src/a.ts'), write('src/b.ts'), write('lib/c.ts'), ...END]);
    await rig.engine.start();
    await rig.engine.approve({ decision: 'run', reach: 'folder' });
    expect(askedFor(rig)).toEqual(['@project/src/a.ts', '@project/lib/c.ts']);
    expect(existsSync(join(rig.project, 'src/b.ts'))).toBe(true);
  });

  it('[T200] does not allow what the person has not allowed', async () => {
    const rig = await rigOf({ flow: 'writes: ["**"]\n' }, [write('src/a.ts'), ...END], 'ask');
    expect(await rig.engine.start()).toMatchObject({ reason: { code: 'approval' } });
    expect(rig.eventsOf('approval.requested')[0]?.action).not.toHaveProperty('undeclared');
  });
});

describe('declared rights', () => {
  const keys = 'rights: declared\ninputs: [docs/in.md]\nproduces: [{path: artifacts/out.md}]\n';

  it('[T200] of a step let it read and write only the files it declares without asking', async () => {
    const script = [
      read('docs/in.md'),
      write('artifacts/out.md'),
      read('artifacts/out.md'),
      read('docs/other.md'),
    ];
    const rig = await rigOf({ keys }, [...script, write('artifacts/else.md'), ...END]);
    await rig.engine.start();
    expect(rig.eventsOf('approval.requested')).toMatchObject([
      {
        tool: 'fs.read',
        action: {
          title: 'fs.read wants to read @project/docs/other.md',
          effect: 'read',
          undeclared: { by: 'step', access: 'read' },
        },
      },
    ]);
    await rig.engine.approve({ decision: 'once' });
    expect(rig.eventsOf('tool.ended')[3]).toMatchObject({
      outcome: 'ok',
      content: expect.stringContaining('1:other') as string,
    });
    expect(askedFor(rig)[1]).toBe('@project/artifacts/else.md');
    expect(await rig.engine.approve({ decision: 'no' })).toEqual({ phase: 'Completed' });
  });

  it('[T200] keep what was read from the model if the person says no', async () => {
    const rig = await rigOf({ keys }, [read('docs/other.md'), write('artifacts/out.md'), ...END]);
    await rig.engine.start();
    expect(await rig.engine.approve({ decision: 'no' })).toEqual({ phase: 'Completed' });
    const [ended] = rig.eventsOf('tool.ended');
    expect(ended).toMatchObject({ code: 'TOOL_REFUSED' });
    expect(ended?.content).not.toContain('"other"');
  });

  it('[T200] cover a search only of what is declared, and names in folders', async () => {
    const search = (path: string): ScriptLine => call('fs_search', { query: 'in', path });
    const list = call('fs_list', { path: '@project' });
    const rig = await rigOf({ flow: 'rights: declared\n', keys: 'inputs: ["docs/**"]\n' }, [
      search('docs'),
      list,
      search('@project'),
      ...END,
    ]);
    await rig.engine.start();
    expect(askedFor(rig)).toEqual(['@project']);
  });

  it('[T200] remember consent to reading for the run, which is no consent to writing', async () => {
    const script = [read('docs/other.md'), read('docs/other.md'), write('docs/other.md'), ...END];
    const rig = await rigOf({ flow: 'rights: declared\n' }, script);
    await rig.engine.start();
    await rig.engine.approve({ decision: 'run', reach: 'all' });
    expect(rig.eventsOf('approval.requested').map(({ tool }) => tool)).toEqual(['fs.read', 'fs.write']);
  });

  it('[T200] of workflow.md are the files of all its nodes, and of documents that the person gave', async () => {
    const flow = 'rights: declared\ninputDocuments: [docs/other.md]\n';
    const rig = await createRunRig({
      package: samplePackage(undefined, {
        'workflow.md': workflow(flow),
        'steps/end-99.md': step('end-99', 'end', 'inputs: [src/a.ts]\noutputs: [artifacts/out.md]\n'),
      }),
      model: createScriptedModel([
        read('src/a.ts'),
        read('docs/other.md'),
        ...END.slice(0, 1),
        write('artifacts/out.md'),
        ...END.slice(1),
      ]),
      project: PROJECT,
    });
    expect(await rig.engine.start()).toEqual({ phase: 'Completed' });
    expect(askedFor(rig)).toEqual([]);
  });
});

describe('the preset "Declared files only"', () => {
  const keys = 'inputs: [docs/in.md]\noutputs: [artifacts/out.md]\n';

  it('[W26] a node uses what it declares without asking; any other file is asked about, with its declaration', async () => {
    const script = [
      read('docs/in.md'),
      write('artifacts/out.md'),
      read('docs/other.md'),
      write('artifacts/b.md'),
      ...END,
    ];
    const rig = await rigOf({ keys }, script, 'declared');
    await rig.engine.start();
    expect(askedFor(rig)).toEqual(['@project/docs/other.md']);
    await rig.engine.approve({ decision: 'once' });
    expect(askedFor(rig)).toEqual(['@project/docs/other.md', '@project/artifacts/b.md']);
    expect(rig.eventsOf('approval.requested').map(({ action }) => action?.undeclared)).toEqual([
      { by: 'preset', access: 'read', globs: ['docs/in.md', 'artifacts/out.md'] },
      { by: 'preset', access: 'write', globs: ['artifacts/out.md'] },
    ]);
    await rig.engine.approve({ decision: 'no' });
    expect(existsSync(join(rig.project, 'artifacts/b.md'))).toBe(false);
  });

  it('[W26] is stricter than the declaration of the workflow, and asks about everything where nothing is declared', async () => {
    const rig = await rigOf(
      { flow: 'rights: declared\nwrites: ["**"]\n' },
      [write('src/b.ts'), ...END],
      'declared',
    );
    await rig.engine.start();
    expect(rig.eventsOf('approval.requested')).toMatchObject([
      { action: { undeclared: { by: 'preset', access: 'write', globs: [] } } },
    ]);
  });
});
