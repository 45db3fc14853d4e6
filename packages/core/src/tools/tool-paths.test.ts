import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, createToolRig } from '../testing/rigs/tool-rig.ts';
import { SAMPLE_STATE } from '../testing/sample-run.ts';

const stateText = SAMPLE_STATE.replace(
  'variables: {}',
  'variables: { planning_artifacts: "{project-root}/artifacts/plans", key: x1, blank: "" }',
);
const pkg = {
  'steps/step-01.md': '---\nnodeId: step-01\noutputFile: "{planning_artifacts}/prd-{key}.md"\n---\n# Step\n',
  'steps/notes.md': 'beside the step',
  'flow/data/types.csv': 'of the workflow',
  'core/tasks/review.md': 'of the package',
  'assets/list.csv': 'an asset',
};
const create = (project = {}) => createToolRig({ stateText, pkg, project, workflowFolder: 'flow' });

describe('variables in tool paths', () => {
  it('fills variables of the run, for writing and for reading', async () => {
    const rig = await create();
    const written = await rig.call('fs.write', { path: '{planning_artifacts}/prd.md', content: 'PRD' });
    expect(written).toMatchObject({ ok: true, path: '@project/artifacts/plans/prd.md' });
    expect(await readFile(join(rig.project, 'artifacts/plans/prd.md'), 'utf8')).toBe('PRD');
    const patch = { find: 'PRD', replace: 'Plan' };
    const patched = await rig.call('fs.apply_patch', {
      path: '{{planning_artifacts}}/prd.md',
      patches: [patch],
    });
    expect(patched).toMatchObject({ ok: true, path: '@project/artifacts/plans/prd.md' });
    expect(await rig.call('fs.read', { path: '{planning_artifacts}/prd.md' })).toMatchObject({
      content: '1:Plan',
    });
    expect(await rig.stateText()).toContain('artifacts/plans/prd.md');
  });

  it('also fills keys of the current step; a variable takes precedence', async () => {
    const rig = await create();
    const written = await rig.call('fs.write', { path: '{outputFile}', content: 'PRD' });
    expect(written).toMatchObject({ ok: true, path: '@project/artifacts/plans/prd-x1.md' });
  });

  it('rejects a write if a variable has no value, and lists those that have', async () => {
    const rig = await create();
    const refused = await rig.call('fs.write', { path: '{plans}/a-{blank}.md', content: 'x' });
    expect(refused).toMatchObject({
      ok: false,
      error: { code: 'TOOL_ARGS_INVALID', details: { unknown: ['plans', 'blank'] } },
    });
    expect(JSON.stringify(refused)).toContain(
      'known variables are {outputFile}, {planning_artifacts}, {key}; use one of these, or write the full path and set the variable',
    );
  });

  it('a path that leads out of the project says where it was looked for in the package', async () => {
    const rig = await create();
    expect(await rig.call('fs.read', { path: '../templates/none.md' })).toMatchObject({
      error: {
        code: 'E_SANDBOX_VIOLATION',
        message: expect.stringMatching(
          /leads out of @project.*tried "@pkg\/.*templates\/none\.md"/,
        ) as string,
      },
    });
  });

  it('writes and reads a file with braces in its name', async () => {
    const rig = await create({ 'src/{slug}.ts': 'a' });
    expect(codeOf(await rig.call('fs.write', { path: '@project/src/{slug}.ts', content: 'b' }))).toBe('ok');
    expect(await rig.call('fs.read', { path: '@project/src/{slug}.ts' })).toMatchObject({ content: '1:b' });
  });
});

describe('relative tool paths', () => {
  it.each([
    ['./notes.md', '@pkg/steps/notes.md'],
    ['../flow/data/types.csv', '@pkg/flow/data/types.csv'],
    ['data/types.csv', '@pkg/flow/data/types.csv'],
    ['core/tasks/review.md', '@pkg/core/tasks/review.md'],
    ['list.csv', '@pkg/assets/list.csv'],
    ['docs/a.md', '@project/docs/a.md'],
    ['{project-root}/_bmad/core/tasks/review.md', '@pkg/core/tasks/review.md'],
    ['workflow.md', '@state/workflow.md'],
  ])('reads %s as %s', async (path, expected) => {
    const rig = await create({ 'docs/a.md': 'project' });
    expect(await rig.call('fs.read', { path })).toMatchObject({ ok: true, path: expected });
  });

  it('rejects a file that does not exist, with the paths that were tried', async () => {
    const rig = await create();
    const { error } = (await rig.call('fs.read', { path: './none.md' })) as {
      error?: { code: string; message: string };
    };
    expect(error?.code).toBe('ENOENT');
    expect(error?.message).toContain('"@pkg/steps/none.md", "@pkg/flow/none.md"');
    expect(codeOf(await rig.call('fs.read', { path: '../../none.md' }))).toBe('E_SANDBOX_VIOLATION');
  });

  it.each([
    ['{project-root}/_bmad/core/review.md', 'of the package'],
    ['@project/_bmad/core/review.md', 'of the package'],
    ['_bmad/core/list.csv', 'an asset'],
  ])('[Z10] finds %s by its path in the source of an import', async (path, content) => {
    const step =
      '---\nnodeId: step-01\nreferences:\n  "{project-root}/_bmad/core/review.md": "@pkg/core/tasks/review.md"\n---\n# Step\n';
    const workflow = '---\nreferences:\n  _bmad/core/list.csv: "@pkg/assets/list.csv"\n---\n# Flow\n';
    const files = { ...pkg, 'steps/step-01.md': step, 'flow/workflow.md': workflow };
    const rig = await createToolRig({ stateText, pkg: files, project: {}, workflowFolder: 'flow' });
    expect(await rig.call('fs.read', { path })).toMatchObject({ ok: true, content: `1:${content}` });
    expect(codeOf(await rig.call('fs.read', { path: '_bmad/core/none.md' }))).toBe('ENOENT');
  });

  it('resolves a path to write to the project', async () => {
    const rig = await create();
    const written = await rig.call('fs.write', { path: './notes.md', content: 'mine' });
    expect(written).toMatchObject({ ok: true, path: '@project/notes.md' });
  });

  it('lists and searches folders wherever they are', async () => {
    const rig = await create();
    expect(await rig.call('fs.list', { path: 'data' })).toMatchObject({
      path: '@pkg/flow/data',
      entries: ['types.csv'],
    });
    expect(await rig.call('fs.search', { path: './data', query: 'workflow' })).toMatchObject({
      files: [{ path: '@pkg/flow/data/types.csv' }],
    });
  });
});
