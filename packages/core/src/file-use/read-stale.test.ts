import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importPackage } from '../bmad/import-package.ts';
import { toAddress } from '../store/work-address.ts';
import { writeTree } from '../testing/file-tree.ts';
import { call, createScriptedModel, finish } from '../testing/models/scripted-model.ts';
import { branchingPackage } from '../testing/packages/branching-package.ts';
import { diskRigFor } from '../testing/rigs/branching-run.ts';
import { CONTEXT, createRunRig, type DiskRunRig, type RunRig } from '../testing/rigs/run-rig.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { readStale, readStaleRuns } from './read-stale.ts';

const read = (path: string) => call('fs_read', { path });
const write = (path: string, content: string) => call('fs_write', { path, content });
const SCRIPT = [
  read('docs/prd.md'),
  write('artifacts/plan.md', '# Plan\n'),
  finish('step-01', 'decide-02', { mark: 'k' }),
  read('artifacts/plan.md'),
  write('artifacts/story.md', '# Story\n'),
  'Well?',
];
const OPTIONS = {
  project: { 'docs/prd.md': '# PRD\n' },
  settings: { tools: { approval: 'autopilot' } },
} as const;

const staleOf = ({ record, store }: Pick<RunRig, 'record' | 'store'>) =>
  readStale(toAddress(record), { store, context: CONTEXT });
const edit = (rig: RunRig, path: string, text: string) => writeFile(join(rig.project, path), text);

describe('stale results of a run', () => {
  it('[W24] follow a changed input through the files that steps wrote, also while the run is open and after it is opened again', async () => {
    const rig: DiskRunRig = await diskRigFor(SCRIPT, OPTIONS);
    await rig.engine.start();
    expect(await staleOf(rig)).toEqual([]);
    await edit(rig, 'docs/prd.md', '# Another PRD\n');
    const expected = [
      {
        nodes: ['step-01'],
        reasons: [{ kind: 'changed', path: '@project/docs/prd.md' }],
        results: ['@project/artifacts/plan.md'],
      },
      {
        nodes: ['decide-02'],
        reasons: [{ kind: 'depends', path: '@project/artifacts/plan.md', from: 0 }],
        results: ['@project/artifacts/story.md'],
      },
    ];
    expect(await staleOf(rig)).toMatchObject(expected);
    expect(await staleOf(await rig.reopen())).toMatchObject(expected);
    await edit(rig, 'docs/prd.md', '# PRD\n');
    expect(await staleOf(rig)).toEqual([]);
    await rm(join(rig.project, 'docs/prd.md'));
    expect(await staleOf(rig)).toMatchObject([{ reasons: [{ kind: 'removed' }] }, {}]);
  });

  it('[W24] are found in logs that have hashes in the results of calls only', async () => {
    const rig = await diskRigFor(SCRIPT, OPTIONS);
    await rig.engine.start();
    await rig.close();
    const text = await readFile(rig.paths.log, 'utf8');
    expect(text).toContain('"hashes":[{"path":"@project/docs/prd.md"');
    await writeFile(rig.paths.log, text.replace(/"hashes":\[[^\]]*\],?/g, ''));
    await edit(rig, 'artifacts/plan.md', 'by hand');
    expect(await staleOf(rig)).toMatchObject([{ nodes: ['decide-02'] }]);
  });

  it('[W24] include the steps that another installed version of the package has changed', async () => {
    const rig = await createRunRig({
      package: branchingPackage(),
      model: createScriptedModel(SCRIPT),
      ...OPTIONS,
    });
    await rig.engine.start();
    const files = branchingPackage();
    const folder = await tempFolder();
    const manifest = JSON.parse(String(files['bmad.json'])) as Record<string, unknown>;
    await writeTree(folder, {
      ...files,
      'bmad.json': JSON.stringify({ ...manifest, version: '99.0.0' }),
      'steps/step-01.md': `${String(files['steps/step-01.md'])}\nWrite it in verse.\n`,
    });
    await importPackage(folder, rig.store, CONTEXT);
    expect(await staleOf(rig)).toMatchObject([
      { nodes: ['step-01'], reasons: [{ kind: 'step', version: '99.0.0' }] },
      { nodes: ['decide-02'], reasons: [{ kind: 'depends' }] },
    ]);
  });

  it('[W24] a project lists its runs with stale results; what nobody may read is not judged', async () => {
    const rig = await diskRigFor([read('.env'), ...SCRIPT], {
      ...OPTIONS,
      project: { ...OPTIONS.project, '.env': 'KEY=1\n' },
    });
    await rig.engine.start();
    const deps = { store: rig.store, context: CONTEXT };
    expect(await readStaleRuns(rig.record.projectId, deps)).toEqual([]);
    await edit(rig, '.env', 'KEY=2\n');
    expect(await readStaleRuns(rig.record.projectId, deps)).toEqual([]);
    await edit(rig, 'docs/prd.md', '# Another PRD\n');
    const [stale, ...others] = await readStaleRuns(rig.record.projectId, deps);
    expect(others).toEqual([]);
    expect(stale).toMatchObject({ record: { workId: rig.record.workId }, steps: [{}, {}] });
    await rm(join(rig.project, 'artifacts'), { recursive: true });
    expect(await readStaleRuns(rig.record.projectId, deps)).toEqual([]);
  });

  it('reads the logs of a project only if they changed, and all where what it remembers is damaged', async () => {
    const rig = await diskRigFor(SCRIPT, OPTIONS);
    await rig.engine.start();
    await rig.close();
    await edit(rig, 'docs/prd.md', '# Another PRD\n');
    const list = () => readStaleRuns(rig.record.projectId, { store: rig.store, context: CONTEXT });
    const found = await list();
    expect(found).toHaveLength(1);
    const cache = join(rig.store.root, 'cache/file-uses.json');
    const text = await readFile(cache, 'utf8');
    // What the cache has is believed as long as the log is as it was.
    await writeFile(cache, text.replace(/"value": ".*"/, '"value": "[]"'));
    expect(await list()).toEqual([]);
    const { mtime } = await stat(rig.paths.log);
    await utimes(rig.paths.log, mtime, new Date(mtime.getTime() + 1_000));
    expect(await list()).toEqual(found);
    for (const damage of ['{', '{"version":9}', text.replace(/"value": ".*"/, '"value": "["')]) {
      await writeFile(cache, damage);
      expect(await list()).toEqual(found);
    }
  });
});
