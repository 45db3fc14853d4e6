import { describe, expect, it } from 'vitest';
import { resolveAgent, resolveWorkflow } from '../../session/load-workflow.ts';
import { codesOf, inspectFiles } from '../../testing/inspect.ts';
import { samplePackage, step, workflow } from '../../testing/packages/sample-package.ts';

const graphOf = (folder: string): string =>
  JSON.stringify({
    schemaVersion: '1.1',
    entryNodeId: 'only',
    nodes: [{ id: 'only', type: 'end', file: `${folder}/only.md` }],
    edges: [],
  });
const brief = {
  'flows/brief/workflow.md': workflow(),
  'flows/brief/workflow.graph.json': graphOf('flows/brief'),
  'flows/brief/only.md': step('only', 'end'),
};

describe('workflows that bmad.json does not list', () => {
  it('[D20] a document with a graph can be referenced by its path, and validation says so', async () => {
    const inspection = await inspectFiles(samplePackage(() => undefined, brief));
    expect(codesOf(inspection)).toEqual(['UNLISTED_WORKFLOW flows/brief/workflow.md']);
    const loaded = inspection.package;
    if (!loaded) throw new Error('refused');
    expect(loaded.workflows.map(({ ref, title }) => [ref, title])).toEqual([
      ['workflow.md', 'sample'],
      ['flows/brief/workflow.md', 'brief'],
    ]);
    expect(resolveWorkflow(loaded, './flows/brief/workflow.md').nodes.size).toBe(1);
    expect(resolveWorkflow(loaded, undefined).ref).toBe('workflow.md');
  });

  it('[D20] a document with another name has a graph of that name, or is the only one next to a workflow.graph.json', async () => {
    const refs = async (files: Record<string, string>): Promise<unknown> =>
      (await inspectFiles(samplePackage(() => undefined, files))).package?.workflows
        .slice(1)
        .map(({ ref }) => ref);
    const only = { 'a/only.md': step('only', 'end') };
    const graph = { 'a/workflow.graph.json': graphOf('a') };
    expect(await refs({ ...only, 'a/plan.md': workflow(), 'a/plan.graph.json': graphOf('a') })).toEqual([
      'a/plan.md',
    ]);
    expect(await refs({ ...only, ...graph, 'a/workflow-plan.md': workflow() })).toEqual([
      'a/workflow-plan.md',
    ]);
    expect(
      await refs({ ...only, ...graph, 'a/workflow-b.md': workflow(), 'a/workflow-c.md': workflow() }),
    ).toEqual([]);
    expect(await refs({ ...only, ...graph })).toEqual([]);
  });

  it('[D20] a broken one is reported and skipped, and the package is accepted', async () => {
    const { package: loaded, diagnostics } = await inspectFiles(
      samplePackage(() => undefined, { ...brief, 'flows/brief/only.md': undefined }),
    );
    expect(diagnostics).toMatchObject([{ code: 'UNLISTED_WORKFLOW', severity: 'warning' }]);
    expect(diagnostics[0]?.message).toContain('is broken: flows/brief/workflow.graph.json');
    expect(loaded?.workflows).toHaveLength(1);
  });

  it('[D20] is led by the agent whose menu references it by any path', async () => {
    const { package: loaded } = await inspectFiles(
      samplePackage(({ agents }) => {
        const [first = {}] = agents.agents;
        const exec = '{project-root}/_bmad/bmm/flows/brief/workflow.md';
        agents.agents.push({ ...first, id: 'writer', menu: [{ trigger: 'CB', description: 'Brief', exec }] });
      }, brief),
    );
    if (!loaded) throw new Error('refused');
    expect(resolveAgent(loaded, resolveWorkflow(loaded, 'flows/brief/workflow.md'), undefined)).toBe(
      'writer',
    );
    expect(resolveAgent(loaded, resolveWorkflow(loaded, undefined), undefined)).toBe('analyst');
  });
});
