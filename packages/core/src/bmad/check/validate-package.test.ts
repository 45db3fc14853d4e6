import { describe, expect, it } from 'vitest';
import { codesOf, inspectFiles, inspectSample } from '../../testing/inspect.ts';
import { first, samplePackage, step, workflow } from '../../testing/packages/sample-package.ts';

describe('a package', () => {
  it('[B1] loads from its root, with the step files of its nodes', async () => {
    const { package: loaded, diagnostics } = await inspectFiles(
      samplePackage(
        ({ graph }) => {
          first(graph.nodes).file = './elsewhere/first.md';
        },
        { 'steps/step-01.md': undefined, 'elsewhere/first.md': step('step-01') },
      ),
    );
    expect(diagnostics).toEqual([]);
    expect(loaded?.workflows[0]?.nodes.get('step-01')?.file).toBe('elsewhere/first.md');
  });

  it('[B11] prefers the graph and fills in blanks from the step', async () => {
    const { package: loaded } = await inspectFiles(
      samplePackage(
        ({ graph }) => {
          first(graph.nodes).title = 'From the graph';
          first(graph.nodes).agentId = ' ';
        },
        {
          'steps/step-01.md': step(
            'step-01',
            'decision',
            'title: From the step\nagentId: analyst\noutputs: [artifacts/a.md]\nsetsVariables: [topic]\n',
          ),
        },
      ),
    );
    expect(loaded?.workflows[0]?.nodes.get('step-01')).toMatchObject({
      type: 'step',
      title: 'From the graph',
      agentId: 'analyst',
      outputs: ['artifacts/a.md'],
      setsVariables: ['topic'],
    });
  });

  it('[B1] lists the entry workflow first, under its id when it is listed', async () => {
    const { package: loaded } = await inspectFiles(
      samplePackage(
        ({ bmad }) => {
          bmad.workflows = [
            { id: 'other', workflow: 'other/workflow.md', graph: 'other/workflow.graph.json' },
            { id: 'main', displayName: 'Main', workflow: 'workflow.md', graph: 'workflow.graph.json' },
          ];
        },
        {
          'other/workflow.md': workflow(),
          'other/workflow.graph.json': JSON.stringify({
            schemaVersion: '1.1',
            entryNodeId: 'end-1',
            nodes: [{ id: 'end-1', type: 'end', file: 'other/end-1.md' }],
            edges: [],
          }),
          'other/end-1.md': step('end-1', 'end'),
        },
      ),
    );
    expect(loaded?.workflows.map(({ ref, title }) => [ref, title])).toEqual([
      ['main', 'Main'],
      ['other', 'other'],
    ]);
  });
});

it.each([
  ['# Write a *short* note #', 'Write a *short* note'],
  ['## Not this one\n\n# A note', 'A note'],
  ['# {{title}}', 'sample'],
  [`# ${'long '.repeat(30)}`, 'sample'],
  ['No heading.', 'sample'],
])('a workflow without a display name is called by the heading of its document: %s', async (body, title) => {
  const files = samplePackage();
  const inspection = await inspectFiles({ ...files, 'workflow.md': `${files['workflow.md']}\n${body}\n` });
  expect(inspection.package?.workflows.map((one) => one.title)).toEqual([title]);
});

it('[B1] a BOM before JSON or frontmatter is ignored', async () => {
  const files = Object.fromEntries(
    Object.entries(samplePackage()).map(([path, text]) => [path, `\uFEFF${text}`]),
  );
  expect(codesOf(await inspectFiles(files))).toEqual([]);
});

describe('a folder that is not a package', () => {
  it('[B10] is reported without a bmad.json', async () => {
    expect(codesOf(await inspectFiles({ 'readme.txt': 'hello' }))).toEqual(['NOT_A_PACKAGE bmad.json']);
  });

  it('[B10] is reported with the location of a nested package', async () => {
    const { diagnostics } = await inspectFiles(
      Object.fromEntries(Object.entries(samplePackage()).map(([path, text]) => [`story/${path}`, text])),
    );
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]?.message).toContain('"story/"');
  });

  it.each(['workflow.yaml', 'workflows/x/workflow.xml', 'src/module.yaml', 'agents/dev.agent.yaml'])(
    '[B10] is reported as classic BMAD (%s)',
    async (path) => {
      expect(codesOf(await inspectFiles({ [path]: 'name: x' }))).toEqual([`CLASSIC_BMAD ${path}`]);
    },
  );
});

describe('a manifest that names a classic workflow', () => {
  const classicFiles = {
    'workflow.yaml': 'name: brainstorm\ninstructions: "{installed_path}/instructions.md"\n',
    'instructions.md': '# Instructions\n',
  };

  it.each<[string, unknown]>([
    ['with all that the format wants', { workflow: 'workflow.yaml', graph: 'g.json', agents: 'agents.json' }],
    ['without a graph and agents', { workflow: './workflow.yml' }],
    ['as a path alone', 'workflow.yaml'],
    ['in XML', { workflow: 'core/workflow.XML', graph: '', agents: 1 }],
  ])('[B10] as its entry is reported, and nothing else is validated: %s', async (_, entry) => {
    const manifest = { schemaVersion: '1.1', name: 'brainstorm', version: '1.0.0', entry };
    const { diagnostics } = await inspectFiles({ ...classicFiles, 'bmad.json': JSON.stringify(manifest) });
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'CLASSIC_BMAD',
        file: 'bmad.json',
        pointer: typeof entry === 'string' ? '/entry' : '/entry/workflow',
        message: expect.stringContaining(
          'is a classic BMAD workflow (workflow.yaml and instructions), not a .bmad package of format 1.1',
        ) as string,
        fix: expect.stringContaining('crewagent import DIR') as string,
      }),
    ]);
  });

  it('[B10] among others is reported, and the others are validated', async () => {
    expect(
      await inspectSample(
        ({ bmad }) => {
          bmad.workflows = [
            { id: 'old', workflow: 'old/workflow.yaml', graph: 'old/none.json' },
            { id: 'none', workflow: 'none/workflow.md', graph: 'workflow.graph.json' },
          ];
        },
        { 'old/workflow.yaml': 'name: x' },
      ),
    ).toEqual([
      'CLASSIC_BMAD bmad.json /workflows/0/workflow',
      'MISSING_FILE bmad.json /workflows/1/workflow',
    ]);
  });
});

describe('hostile values', () => {
  it.each(['bmad.json', 'agents.json', 'workflow.graph.json'])('[B1] __proto__ in %s', async (path) => {
    const files = samplePackage();
    const text = (files[path] ?? '').replace('{', '{"__pro\\u0074o__": {"polluted": true},');
    expect(codesOf(await inspectFiles({ ...files, [path]: text }))).toContain(`UNSAFE_VALUE ${path}`);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('[B1] __proto__ in frontmatter', async () => {
    expect(
      await inspectSample(() => undefined, {
        'workflow.md': workflow('variables: {__proto__: {polluted: true}}\n'),
      }),
    ).toEqual(['UNSAFE_VALUE workflow.md /variables']);
  });

  it('[B1] JSON nested a hundred thousand levels deep', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const found = await inspectSample(() => undefined, { 'agents.json': deep });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('UNSAFE_VALUE agents.json');
  });
});
