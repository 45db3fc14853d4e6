import { describe, expect, it } from 'vitest';
import { codesOf, inspectFiles } from '../../testing/inspect.ts';
import { type NestedFlow, nestedPackage } from '../../testing/packages/nested-package.ts';

const end = { type: 'end' } as const;
const leaf: NestedFlow = { nodes: { work: {}, done: end } };
const calling = (target: string): NestedFlow => ({ nodes: { call: { calls: target }, done: end } });

describe('sub-workflows', () => {
  it.each([
    ['from the folder of the workflow', './subflows/foo/workflow.md', {}, 'subflows/foo/workflow.md'],
    ['without a dot', 'subflows/foo/workflow.md', {}, 'subflows/foo/workflow.md'],
    ['by id', 'foo', { foo: 'subflows/foo' }, 'foo'],
    ['by the path of a listed one', './subflows/foo/workflow.md', { foo: 'subflows/foo' }, 'foo'],
  ])('[B70] a workflow is called %s', async (_, target, listed, ref) => {
    const { package: loaded, diagnostics } = await inspectFiles(
      nestedPackage({ '': calling(target), 'subflows/foo': leaf }, listed),
    );
    expect(diagnostics).toEqual([]);
    expect(loaded?.workflows[0]?.nodes.get('call')).toMatchObject({ subworkflow: ref, type: 'subworkflow' });
    expect(loaded?.workflows.map((workflow) => workflow.ref)).toEqual(['workflow.md', ref]);
  });

  it('[B70] a path may start at the root of the package, and lead up from the folder of a workflow', async () => {
    const { diagnostics, package: loaded } = await inspectFiles(
      nestedPackage({
        '': calling('./a/workflow.md'),
        a: calling('../b/workflow.md'),
        b: calling('c/workflow.md'),
        c: leaf,
      }),
    );
    expect(diagnostics).toEqual([]);
    expect(loaded?.workflows.map(({ ref }) => ref)).toEqual([
      'workflow.md',
      'a/workflow.md',
      'b/workflow.md',
      'c/workflow.md',
    ]);
  });

  it('[B70] passContext and returns come with the node', async () => {
    const more = 'passContext: true\nreturns: [verdict]\n';
    const { package: loaded } = await inspectFiles(
      nestedPackage({ '': { nodes: { call: { calls: './a/workflow.md', more }, done: end } }, a: leaf }),
    );
    expect(loaded?.workflows[0]?.nodes.get('call')).toMatchObject({
      passContext: true,
      returns: ['verdict'],
    });
  });

  it('[B70] an error in a called workflow refuses the package', async () => {
    const broken = nestedPackage({
      '': calling('./a/workflow.md'),
      a: calling('./b/workflow.md'),
      'a/b': leaf,
    });
    const { package: loaded, ...inspection } = await inspectFiles({
      ...broken,
      'a/b/workflow.graph.json': '{',
    });
    expect(codesOf(inspection)).toEqual(['BAD_JSON a/b/workflow.graph.json 1']);
    expect(loaded).toBeUndefined();
  });

  it('[B11] a target that is missing, or has no graph, is an error', async () => {
    const files = nestedPackage({
      '': {
        nodes: {
          a: { calls: './no/workflow.md' },
          b: { calls: './bare/workflow.md' },
          c: { calls: '../../etc/passwd' },
        },
      },
    });
    const inspection = await inspectFiles({ ...files, 'bare/workflow.md': files['workflow.md'] ?? '' });
    expect(codesOf(inspection).filter((code) => code.startsWith('SUBWORKFLOW'))).toEqual([
      'SUBWORKFLOW_MISSING steps/a.md /subworkflow',
      'SUBWORKFLOW_WITHOUT_GRAPH steps/b.md /subworkflow',
      'SUBWORKFLOW_MISSING steps/c.md /subworkflow',
    ]);
    expect(inspection.package).toBeUndefined();
  });

  it('a target that is misspelt is named as it is meant', async () => {
    const files = nestedPackage({ '': calling('./inner/workflov.md') });
    const inspection = await inspectFiles({
      ...files,
      'inner/workflow.md': files['workflow.md'] ?? '',
      'inner/workflow.graph.json': '{}',
    });
    expect(inspection.diagnostics.find(({ code }) => code === 'SUBWORKFLOW_MISSING')?.fix).toBe(
      'Did you mean "./inner/workflow.md"?',
    );
  });

  it('[B11] workflows that call each other in a circle are refused', async () => {
    const itself = await inspectFiles(nestedPackage({ '': calling('./workflow.md') }));
    expect(codesOf(itself)).toEqual(['CALL_CYCLE steps/call.md /subworkflow']);
    const three = await inspectFiles(
      nestedPackage({
        '': calling('./a/workflow.md'),
        a: calling('../b/workflow.md'),
        b: calling('../c/workflow.md'),
        c: calling('../a/workflow.md'),
      }),
    );
    expect(codesOf(three)).toHaveLength(1);
    expect(three.diagnostics[0]).toMatchObject({ code: 'CALL_CYCLE', severity: 'error' });
    expect(three.diagnostics[0]?.message).toMatch(/[abc]\/workflow\.md → [abc]\/workflow\.md/);
  });

  it('[B11] calls are nested 8 levels deep and no deeper', async () => {
    const chain = (depth: number) =>
      nestedPackage({
        '': calling('f1/workflow.md'),
        ...Object.fromEntries(
          Array.from({ length: depth }, (_, at) => [
            `f${at + 1}`,
            at + 1 === depth ? leaf : calling(`../f${at + 2}/workflow.md`),
          ]),
        ),
      });
    expect((await inspectFiles(chain(8))).diagnostics).toEqual([]);
    expect(codesOf(await inspectFiles(chain(9)))).toEqual(['CALL_TOO_DEEP steps/call.md /subworkflow']);
    expect(codesOf(await inspectFiles(chain(12)))).toEqual(['CALL_TOO_DEEP f3/steps/call.md /subworkflow']);
  });

  it("[B70] the step's type is used where only one of the two says subworkflow", async () => {
    const files = nestedPackage({
      '': { nodes: { call: { calls: './a/workflow.md' }, plain: {}, done: end } },
      a: leaf,
    });
    const swap = (path: string, from: string, to: string): void => {
      files[path] = (files[path] ?? '').replace(from, to);
    };
    swap('workflow.graph.json', '"type": "subworkflow"', '"type": "step"');
    swap('workflow.graph.json', '"plain",\n      "type": "step"', '"plain",\n      "type": "subworkflow"');
    const { package: loaded, ...inspection } = await inspectFiles(files);
    expect(codesOf(inspection)).toEqual([
      'TYPES_DISAGREE steps/call.md /type',
      'TYPES_DISAGREE steps/plain.md /type',
    ]);
    const [root] = loaded?.workflows ?? [];
    expect(root?.graph.nodes.map(({ type }) => type)).toEqual(['subworkflow', 'step', 'end']);
    expect([...(root?.nodes.values() ?? [])].map(({ subworkflow }) => subworkflow)).toEqual([
      'a/workflow.md',
      undefined,
      undefined,
    ]);
  });

  it('[B1] a package of format 1.2 is accepted, and other new keys in it are refused', async () => {
    const files = nestedPackage({ '': calling('./a/workflow.md'), a: leaf });
    const newer = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        path,
        text.replace(/("?schemaVersion"?: )"1\.1"/g, '$1"1.2"'),
      ]),
    );
    expect((await inspectFiles(newer)).diagnostics).toEqual([]);
    const unknown = { ...newer, 'bmad.json': (newer['bmad.json'] ?? '').replace('{', '{ "parallel": true,') };
    expect(codesOf(await inspectFiles(unknown))).toEqual(['SCHEMA bmad.json /parallel']);
  });
});
