import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import { textReply, toolCallReply } from '../../../packages/core/src/testing/models/provider-replies.ts';
import { samplePackage } from '../../../packages/core/src/testing/packages/sample-package.ts';
import { attach, createCliRig } from './testing/cli-rig.ts';

/** A run that read a file, wrote another, and waits. */
async function waitingRun() {
  const rig = await createCliRig();
  const provider = attach(
    await startFakeProvider([
      toolCallReply([{ name: 'fs_read', arguments: { path: 'prd.md' } }]),
      toolCallReply([{ name: 'fs_write', arguments: { path: 'artifacts/plan.md', content: '# Plan\n' } }]),
      textReply('Is that right?'),
    ]),
  );
  const pkg = await rig.write('sample', samplePackage());
  await rig.write('project', { 'prd.md': '# PRD\n' });
  const { code } = await rig.run('run', pkg, '-p', 'project', '--approve', 'autopilot', ...provider.options);
  expect(code).toBe(3);
  return { rig, changePrd: () => writeFile(join(rig.folder, 'project/prd.md'), '# Another\n') };
}

describe('crewagent status', () => {
  it('[W24] says which results are out of date and why', async () => {
    const { rig, changePrd } = await waitingRun();
    expect((await rig.run('status', 'project')).out).toContain('Everything is up to date.');
    await changePrd();
    const { out, code } = await rig.run('status', 'project');
    expect(code).toBe(0);
    expect(out).toContain('prd.md has changed since this step read it');
    expect(out).toContain('Results: artifacts/plan.md');
    const [run] = JSON.parse((await rig.run('status', 'project', '--json')).out) as { steps: unknown[] }[];
    expect(run?.steps).toMatchObject([{ reasons: [{ kind: 'changed', path: '@project/prd.md' }] }]);
  });

  it('[W24] of a folder without runs is empty, and of one that is not known says so', async () => {
    const rig = await createCliRig();
    expect((await rig.run('status')).out).toContain('There are no runs in this project.');
    expect((await rig.run('status', '--json')).out).toBe('[]\n');
    const { code, err } = await rig.run('status', 'nowhere');
    expect([code, err]).toEqual([2, expect.stringContaining('There is no folder at "nowhere"')]);
  });
});

describe('crewagent resume --preview', () => {
  it('[W22] shows what would happen, and starts nothing', async () => {
    const { rig, changePrd } = await waitingRun();
    await changePrd();
    const before = (await rig.run('show', 'last', '--log')).out;
    const { code, out } = await rig.run('resume', 'last', '--preview');
    expect(code).toBe(0);
    expect(out).toMatch(/The run goes on at .*step-01/);
    expect(out).toMatch(/Changed by somebody else meanwhile:\n\s+@project\/prd\.md/);
    expect(out).toMatch(/The next request has about \d+ of \d+ tokens\./);
    expect(JSON.parse((await rig.run('resume', 'last', '--preview', '--json')).out)).toMatchObject({
      nodeId: 'step-01',
      unknownCalls: [],
      changed: [{ path: '@project/prd.md' }],
    });
    expect((await rig.run('show', 'last', '--log')).out).toBe(before);
  });
});

describe('crewagent rights', () => {
  it('[W26] names files that steps did not declare, and adds them to the folder; comments stay', async () => {
    const { rig } = await waitingRun();
    const { out } = await rig.run('rights', 'last');
    expect(out).toContain('2 files were used that their steps do not declare:');
    expect(out).toMatch(/step-01 {2}read {2}prd\.md/);
    expect(out).toMatch(/step-01 {2}written {2}artifacts\/plan\.md/);
    const shown = (await rig.run('show', 'last')).out;
    expect(shown).toMatch(/2 files were used that their steps do not declare: crewagent rights \w{8}/);
    const step = join(rig.folder, 'sample/steps/step-01.md');
    await writeFile(
      step,
      (await readFile(step, 'utf8')).replace('---\n', '---\n# A comment of the author.\n'),
    );
    expect((await rig.run('rights', 'last', '--add')).out).toContain('2 files were added');
    expect(await readFile(step, 'utf8')).toContain('# A comment of the author.');
    const graph = JSON.parse(await readFile(join(rig.folder, 'sample/workflow.graph.json'), 'utf8')) as {
      nodes: { id: string; inputs?: string[]; outputs?: string[] }[];
    };
    expect(graph.nodes.find(({ id }) => id === 'step-01')).toMatchObject({
      inputs: ['prd.md'],
      outputs: ['artifacts/plan.md'],
    });
    expect((await rig.run('validate', 'sample')).code).toBe(0);
    // What is declared now is not named again, in a run of the new version.
    expect(JSON.parse((await rig.run('rights', 'last', '--json')).out)).toMatchObject({
      files: [{ nodeId: 'step-01', access: 'read', path: '@project/prd.md' }, { access: 'write' }],
    });
  });

  it('[W26] without a folder of the package says how to give one', async () => {
    const { rig } = await waitingRun();
    await rm(join(rig.folder, 'sample'), { recursive: true });
    const { code, err } = await rig.run('rights', 'last', '--add');
    expect([code, err]).toEqual([2, expect.stringContaining('crewagent rights RUN --add FOLDER')]);
  });
});
