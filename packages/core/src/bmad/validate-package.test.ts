import { describe, expect, it } from 'vitest';
import { codesOf, inspectFiles } from '../testing/inspect.ts';
import { type SampleDocuments, samplePackage, step, workflow } from '../testing/sample-package.ts';

type Bend = (documents: SampleDocuments) => void;
type Files = Record<string, string | undefined>;

async function codes(bend: Bend, files: Files = {}): Promise<string[]> {
  return codesOf(await inspectFiles(samplePackage(bend, files)));
}

function first<T>(list: readonly T[]): T {
  const [item] = list;
  if (item === undefined) throw new Error('the sample lacks what the test bends');
  return item;
}

describe('a package', () => {
  it('[B1] loads from its root, with the step files its nodes name', async () => {
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

  it('[B17] takes the graph at its word and fills blanks from the step', async () => {
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

describe('errors', () => {
  const cases: [rule: string, what: string, bend: Bend, files: Files, expected: string[]][] = [
    [
      'B2',
      'an unquoted version in JSON',
      ({ bmad }) => {
        bmad.schemaVersion = 1.1;
      },
      {},
      ['SCHEMA bmad.json /schemaVersion'],
    ],
    [
      'B2',
      'an unquoted version in YAML',
      () => undefined,
      { 'steps/step-01.md': step('step-01').replace('"1.1"', '1.1') },
      ['SCHEMA steps/step-01.md /schemaVersion'],
    ],
    [
      'B2',
      'a version that is no version',
      ({ graph }) => {
        graph.schemaVersion = 'one';
      },
      {},
      ['SCHEMA workflow.graph.json /schemaVersion'],
    ],
    [
      'B3',
      'an unknown key in bmad.json',
      ({ bmad }) => {
        bmad.licence = 'MIT';
      },
      {},
      ['SCHEMA bmad.json'],
    ],
    [
      'B3',
      'an unknown key in entry',
      ({ bmad }) => {
        (bmad.entry as Record<string, unknown>).extra = 1;
      },
      {},
      ['SCHEMA bmad.json /entry'],
    ],
    [
      'B3',
      'an unknown key in an agent',
      ({ agents }) => {
        first(agents.agents).colour = 'red';
      },
      {},
      ['SCHEMA agents.json /agents/0'],
    ],
    [
      'B3',
      'an unknown key on an edge',
      ({ graph }) => {
        first(graph.edges).weight = 2;
      },
      {},
      ['SCHEMA workflow.graph.json /edges/0'],
    ],
    [
      'B3',
      'an unknown key in a transition',
      () => undefined,
      { 'steps/step-01.md': step('step-01', 'step', 'transitions: [{to: end-99, label: next, why: x}]\n') },
      ['SCHEMA steps/step-01.md /transitions/0'],
    ],
    [
      'B3',
      'an unknown key in a decision',
      () => undefined,
      { 'workflow.md': workflow('decisionLog: [{from: a, to: b, label: c, why: x}]\n') },
      ['SCHEMA workflow.md /decisionLog/0'],
    ],
    [
      'B3',
      'a bad SemVer',
      ({ bmad }) => {
        bmad.version = '1.0';
      },
      {},
      ['SCHEMA bmad.json /version'],
    ],
    [
      'B3',
      'a bad date',
      ({ bmad }) => {
        bmad.createdAt = '2026-02-30T00:00:00Z';
      },
      {},
      ['SCHEMA bmad.json /createdAt'],
    ],
    [
      'B3',
      'no agents',
      ({ agents }) => {
        agents.agents = [];
      },
      {},
      ['SCHEMA agents.json /agents'],
    ],
    [
      'B3',
      'an empty persona field',
      ({ agents }) => {
        first(agents.agents).persona = {
          role: '',
          identity: 'i',
          communication_style: 'c',
          principles: [],
        };
      },
      {},
      ['SCHEMA agents.json /agents/0/persona/role', 'SCHEMA agents.json /agents/0/persona/principles'],
    ],
    [
      'B3',
      'a limit of zero',
      ({ agents }) => {
        first(agents.agents).tools = { fs: { maxReadBytes: 0 } };
      },
      {},
      ['SCHEMA agents.json /agents/0/tools/fs/maxReadBytes'],
    ],
    [
      'B3',
      'an id with a space',
      ({ graph }) => {
        first(graph.nodes).id = 'step 01';
      },
      {},
      ['SCHEMA workflow.graph.json /nodes/0/id'],
    ],
    [
      'B11',
      'no agents file',
      () => undefined,
      { 'agents.json': undefined },
      ['MISSING_FILE bmad.json /entry/agents'],
    ],
    [
      'B11',
      'no workflow file',
      () => undefined,
      { 'workflow.md': undefined },
      ['MISSING_FILE bmad.json /entry/workflow', 'MENU_ITEM_DEAD agents.json /agents/0/menu/0'],
    ],
    [
      'B11',
      'no graph',
      () => undefined,
      { 'workflow.graph.json': undefined },
      ['MISSING_FILE bmad.json /entry/graph'],
    ],
    [
      'B11',
      'no step file',
      () => undefined,
      { 'steps/step-01.md': undefined },
      ['MISSING_FILE workflow.graph.json /nodes/0/file'],
    ],
    [
      'B11',
      'a listed workflow that is not there',
      ({ bmad }) => {
        bmad.workflows = [{ id: 'x', workflow: 'x/workflow.md', graph: 'x/graph.json' }];
      },
      {},
      ['MISSING_FILE bmad.json /workflows/0/workflow', 'MISSING_FILE bmad.json /workflows/0/graph'],
    ],
    [
      'B11',
      'a path that leads out',
      ({ graph }) => {
        first(graph.nodes).file = '../step-01.md';
      },
      {},
      ['MISSING_FILE workflow.graph.json /nodes/0/file'],
    ],
    [
      'B11',
      'broken JSON',
      () => undefined,
      { 'workflow.graph.json': '{\n  "nodes": [\n  }\n' },
      ['BAD_JSON workflow.graph.json 3'],
    ],
    [
      'B11',
      'broken YAML',
      () => undefined,
      { 'steps/end-99.md': '---\na: [\n---\n' },
      ['BAD_FRONTMATTER steps/end-99.md 3'],
    ],
    [
      'B11',
      'a step without frontmatter',
      () => undefined,
      { 'steps/end-99.md': '# Hello\n' },
      ['BAD_FRONTMATTER steps/end-99.md 1'],
    ],
    [
      'B12',
      'a node id twice',
      ({ graph }) => {
        graph.nodes.push(first(graph.nodes));
      },
      {},
      ['DUPLICATE_ID workflow.graph.json /nodes/2/id'],
    ],
    [
      'B12',
      'an agent id twice',
      ({ agents }) => {
        agents.agents.push(first(agents.agents));
      },
      {},
      ['DUPLICATE_ID agents.json /agents/1/id'],
    ],
    [
      'B12',
      'a prompt id twice',
      ({ agents }) => {
        first(agents.agents).prompts = [
          { id: 'p', content: 'x' },
          { id: 'p', content: 'y' },
        ];
      },
      {},
      ['DUPLICATE_ID agents.json /agents/0/prompts/1/id'],
    ],
    [
      'B12',
      'a workflow id twice',
      ({ bmad }) => {
        const w = { id: 'w', workflow: 'workflow.md', graph: 'workflow.graph.json' };
        bmad.workflows = [w, w];
      },
      {},
      ['DUPLICATE_ID bmad.json /workflows/1/id'],
    ],
    [
      'B13',
      'an entry that is no node',
      ({ graph }) => {
        graph.entryNodeId = 'nowhere';
      },
      {},
      ['UNKNOWN_NODE workflow.graph.json /entryNodeId'],
    ],
    [
      'B13',
      'an edge to no node',
      ({ graph }) => {
        graph.edges.push({ from: 'step-01', to: 'nowhere', label: 'x' });
      },
      {},
      ['UNKNOWN_NODE workflow.graph.json /edges/1/to'],
    ],
    [
      'B13',
      'a step with another nodeId',
      () => undefined,
      { 'steps/end-99.md': step('end-98', 'end') },
      ['NODE_ID_MISMATCH steps/end-99.md /nodeId'],
    ],
    [
      'B13',
      'a node with an unknown agent',
      ({ graph }) => {
        first(graph.nodes).agentId = 'nobody';
      },
      {},
      ['UNKNOWN_AGENT workflow.graph.json /nodes/0/agentId'],
    ],
    [
      'B18',
      'a newer format',
      ({ bmad }) => {
        bmad.schemaVersion = '1.2';
        bmad.unheardOf = true;
      },
      { 'agents.json': '{' },
      ['FORMAT_UNSUPPORTED bmad.json /schemaVersion'],
    ],
    [
      'B18',
      'an older format',
      ({ bmad }) => {
        bmad.schemaVersion = '1.0';
      },
      {},
      ['FORMAT_UNSUPPORTED bmad.json /schemaVersion'],
    ],
    [
      'B18',
      'one document of a newer format',
      ({ graph }) => {
        graph.schemaVersion = '2.0';
      },
      {},
      ['FORMAT_UNSUPPORTED workflow.graph.json /schemaVersion'],
    ],
  ];
  for (const [rule, what, bend, files, expected] of cases) {
    it(`[${rule}] ${what}`, async () => {
      const inspection = await inspectFiles(samplePackage(bend, files));
      expect(codesOf(inspection)).toEqual(expected);
      expect(inspection.package).toBeUndefined();
    });
  }

  it('[B11] text that is not UTF-8', async () => {
    const files = {
      ...samplePackage(),
      'steps/step-01.md': Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]),
    };
    expect(codesOf(await inspectFiles(files))).toEqual(['NOT_UTF8 steps/step-01.md']);
  });

  it('[B2] the hint for a number is to quote it', async () => {
    const { diagnostics } = await inspectFiles(
      samplePackage(() => undefined, { 'steps/step-01.md': step('step-01').replace('"1.1"', '1.1') }),
    );
    expect(diagnostics[0]).toMatchObject({ line: 2, fix: expect.stringContaining('quotes') as string });
  });

  it('[B10] lists everything at once, each with a place, a sentence and a fix', async () => {
    const { diagnostics } = await inspectFiles(
      samplePackage(
        ({ bmad, agents, graph }) => {
          bmad.integrity = { sha256: 'a'.repeat(64) };
          first(agents.agents).colour = 'red';
          first(graph.edges).to = 'nowhere';
        },
        { 'steps/step-01.md': 'no frontmatter', 'steps/end-99.md': step('other', 'end') },
      ),
    );
    expect(diagnostics.map(({ code }) => code)).toEqual([
      'SCHEMA',
      'UNKNOWN_NODE',
      'BAD_FRONTMATTER',
      'NODE_ID_MISMATCH',
      'INTEGRITY_IGNORED',
    ]);
    for (const { file, pointer, line, message, fix } of diagnostics) {
      expect(file).not.toBe('');
      expect(pointer ?? line).toBeDefined();
      expect(message.length).toBeGreaterThan(10);
      expect(fix.length).toBeGreaterThan(5);
    }
  });

  it('[B10] stops listing at a thousand', async () => {
    const { diagnostics } = await inspectFiles(
      samplePackage(({ graph }) => {
        graph.edges = Array.from({ length: 5_000 }, () => ({ from: 'x', to: 'y', label: 'z' }));
      }),
    );
    expect(diagnostics).toHaveLength(1_000);
    expect(diagnostics.at(-1)?.code).toBe('TOO_MANY_FINDINGS');
  });
});

describe('warnings', () => {
  const decision =
    (edges: Record<string, unknown>[]): Bend =>
    ({ graph }) => {
      first(graph.nodes).type = 'decision';
      graph.nodes.push({ id: 'end-98', type: 'end', file: 'steps/end-98.md' });
      graph.edges = edges;
    };
  const other = { 'steps/end-98.md': step('end-98', 'end') };
  const cases: [rule: string, what: string, bend: Bend, files: Files, expected: string[]][] = [
    [
      'B14',
      'no end node',
      ({ graph }) => {
        const end = graph.nodes[1];
        if (end) end.type = 'step';
      },
      {},
      ['NO_END_REACHABLE workflow.graph.json /nodes'],
    ],
    [
      'B14',
      'a cycle nothing leaves',
      ({ graph }) => {
        graph.nodes.push({ id: 'a', type: 'step', file: 'steps/a.md' });
        graph.edges.push({ from: 'step-01', to: 'a', label: 'x' }, { from: 'a', to: 'a', label: 'again' });
      },
      { 'steps/a.md': step('a') },
      ['CYCLE_WITHOUT_EXIT workflow.graph.json /edges'],
    ],
    [
      'B14',
      'a cycle with a way out is fine',
      ({ graph }) => {
        graph.edges.push({ from: 'step-01', to: 'step-01', label: 'again' });
      },
      {},
      [],
    ],
    [
      'B14',
      'a node nobody reaches',
      ({ graph }) => {
        graph.nodes.push({ id: 'a', type: 'step', file: 'steps/a.md' });
      },
      { 'steps/a.md': step('a') },
      ['NODE_UNREACHABLE workflow.graph.json /nodes/2'],
    ],
    [
      'B14',
      'a decision with one way on',
      ({ graph }) => {
        first(graph.nodes).type = 'decision';
      },
      {},
      ['DECISION_WITHOUT_CHOICE workflow.graph.json /nodes/0'],
    ],
    [
      'B14',
      'a decision without default',
      decision([
        { from: 'step-01', to: 'end-99', label: 'a' },
        { from: 'step-01', to: 'end-98', label: 'b' },
      ]),
      other,
      ['DECISION_WITHOUT_DEFAULT workflow.graph.json /nodes/0'],
    ],
    [
      'B14',
      'two defaults',
      decision([
        { from: 'step-01', to: 'end-99', label: 'a', isDefault: true },
        { from: 'step-01', to: 'end-98', label: 'b', isDefault: true },
      ]),
      other,
      ['SEVERAL_DEFAULTS workflow.graph.json /nodes/0'],
    ],
    [
      'B15',
      'a subworkflow without target',
      ({ graph }) => {
        first(graph.nodes).type = 'subworkflow';
      },
      {},
      ['SUBWORKFLOW_WITHOUT_TARGET workflow.graph.json /nodes/0'],
    ],
    [
      'B15',
      'a subworkflow with a target is fine',
      ({ graph }) => {
        first(graph.nodes).type = 'subworkflow';
      },
      { 'steps/step-01.md': step('step-01', 'subworkflow', 'subworkflow: ./workflow.md\n') },
      [],
    ],
    [
      'B15',
      'transitions that disagree',
      () => undefined,
      { 'steps/step-01.md': step('step-01', 'step', 'transitions: [{to: end-99, label: other}]\n') },
      ['TRANSITIONS_DISAGREE steps/step-01.md /transitions/0'],
    ],
    [
      'B15',
      'transitions that leave an edge out',
      decision([
        { from: 'step-01', to: 'end-99', label: 'a', isDefault: true },
        { from: 'step-01', to: 'end-98', label: 'b' },
      ]),
      {
        ...other,
        'steps/step-01.md': step('step-01', 'decision', 'transitions: [{to: end-99, label: a}]\n'),
      },
      ['TRANSITIONS_DISAGREE steps/step-01.md /transitions'],
    ],
    [
      'B15',
      'another isDefault is no disagreement',
      () => undefined,
      {
        'steps/step-01.md': step(
          'step-01',
          'step',
          'transitions: [{to: end-99, label: next, isDefault: true}]\n',
        ),
      },
      [],
    ],
    [
      'B15',
      'an empty agentId in a node and a step',
      ({ graph }) => {
        first(graph.nodes).agentId = '';
      },
      { 'steps/step-01.md': step('step-01', 'step', 'agentId: ""\n') },
      ['BLANK_AGENT workflow.graph.json /nodes/0/agentId', 'BLANK_AGENT steps/step-01.md /agentId'],
    ],
    [
      'B15',
      'an unknown agent in a step only',
      () => undefined,
      { 'steps/step-01.md': step('step-01', 'step', 'agentId: nobody\n') },
      ['STEP_AGENT_UNKNOWN steps/step-01.md /agentId'],
    ],
    [
      'B15',
      'empty dates',
      () => undefined,
      {
        'workflow.md': workflow('updatedAt: ""\ndecisionLog: [{from: a, to: b, label: c, decidedAt: ""}]\n'),
      },
      ['BLANK_DATE workflow.md /updatedAt', 'BLANK_DATE workflow.md /decisionLog/0/decidedAt'],
    ],
    [
      'B16',
      'an item nobody sees',
      ({ agents }) => {
        first(agents.agents).menu = [{ description: 'x', action: 'y', 'ide-only': true, 'web-only': true }];
      },
      {},
      ['MENU_ITEM_HIDDEN agents.json /agents/0/menu/0'],
    ],
    [
      'B16',
      'an unknown tool server',
      ({ agents }) => {
        first(agents.agents).tools = { mcp: { enabled: true, allowedServers: ['github', 'jira'] } };
      },
      {},
      ['TOOL_SERVER_UNKNOWN agents.json /agents/0/tools/mcp/allowedServers/1'],
    ],
    [
      'B16',
      'a checksum of itself',
      ({ bmad }) => {
        bmad.integrity = { sha256: 'A'.repeat(64) };
      },
      {},
      ['INTEGRITY_IGNORED bmad.json /integrity/sha256'],
    ],
    [
      'B16',
      'a newer runtime wanted',
      ({ bmad }) => {
        bmad.runtime = { minRuntimeVersion: '0.2.0' };
      },
      {},
      ['RUNTIME_TOO_OLD bmad.json /runtime/minRuntimeVersion'],
    ],
    [
      'B16',
      'an older runtime wanted is fine',
      ({ bmad }) => {
        bmad.runtime = { minRuntimeVersion: '0.0.9', requiresNetwork: true };
      },
      {},
      [],
    ],
    [
      'B6',
      'absent collections are empty',
      () => undefined,
      { 'workflow.md': workflow().replace('stepsCompleted: []\n', '') },
      [],
    ],
    [
      'B6',
      'null collections are empty',
      () => undefined,
      { 'workflow.md': workflow('variables:\nartifacts:\n') },
      [],
    ],
    [
      'B6',
      'a bare YAML date is a date-time',
      () => undefined,
      { 'workflow.md': workflow('updatedAt: 2026-01-31\ndate: 2026-01-31\n') },
      [],
    ],
    [
      'B3',
      'other frontmatter keys are fine',
      () => undefined,
      {
        'workflow.md': workflow('team: red\n'),
        'steps/step-01.md': step('step-01', 'step', 'difficulty: 3\n'),
      },
      [],
    ],
    [
      'B3',
      'other menu keys are fine',
      ({ agents }) => {
        first(agents.agents).menu = [{ description: 'x', cmd: '*go', id: 7, workflow: 'workflow.md' }];
      },
      {},
      [],
    ],
    [
      'B3',
      'principles as one text are fine',
      ({ agents }) => {
        first(agents.agents).persona = {
          role: 'r',
          identity: 'i',
          communication_style: 'c',
          principles: 'Be kind.',
        };
      },
      {},
      [],
    ],
  ];
  for (const [rule, what, bend, files, expected] of cases) {
    it(`[${rule}] ${what}`, async () => {
      const inspection = await inspectFiles(samplePackage(bend, files));
      expect(codesOf(inspection)).toEqual(expected);
      expect(inspection.package).toBeDefined();
    });
  }

  it('[B6] a quoted date is a text and stays refused', async () => {
    expect(await codes(() => undefined, { 'workflow.md': workflow('updatedAt: "2026-01-31"\n') })).toEqual([
      'SCHEMA workflow.md /updatedAt',
    ]);
  });
});

it('[B5] a BOM before JSON or frontmatter is not seen', async () => {
  const files = Object.fromEntries(
    Object.entries(samplePackage()).map(([path, text]) => [path, `\uFEFF${text}`]),
  );
  expect(codesOf(await inspectFiles(files))).toEqual([]);
});

describe('menus', () => {
  const cases: [what: string, item: Record<string, unknown>, leadsSomewhere: boolean][] = [
    ['a workflow path', { workflow: 'workflow.md' }, true],
    ['a workflow path from the package root', { workflow: '{package-root}/workflow.md' }, true],
    ['an unknown workflow id', { workflow: 'nope' }, false],
    ['a workflow path that is not there', { workflow: 'nope.md' }, false],
    ['a classic workflow', { workflow: '{project-root}/_bmad/workflow.yaml' }, false],
    ['a script', { exec: 'steps/step-01.md' }, true],
    ['a script in the project', { exec: '{project-root}/docs/script.md' }, true],
    ['a script that is not there', { exec: 'steps/none.md' }, false],
    ['a classic script', { exec: 'task.xml' }, false],
    ['a prompt', { action: '#greet' }, true],
    ['an unknown prompt', { action: '#nope' }, false],
    ['an inline action', { action: 'Say hello.' }, true],
    ['data that is not there', { action: 'x', data: 'assets/none.csv' }, false],
    ['validate-workflow that is not there', { workflow: 'workflow.md', 'validate-workflow': 'nope' }, false],
    ['nothing at all', {}, false],
    ['only an alias', { triggers: [{ type: 'alias', match: 'x' }] }, false],
    ['a handler', { triggers: [{ type: 'handler', match: 'x', workflow: 'workflow.md' }] }, true],
    ['a handler that leads nowhere', { triggers: [{ type: 'handler', match: 'x', exec: 'none.md' }] }, false],
    ['a command of the runtime', { cmd: '*menu' }, true],
  ];
  for (const [what, item, leadsSomewhere] of cases) {
    it(`[B16] ${what} ${leadsSomewhere ? 'leads somewhere' : 'leads nowhere'}`, async () => {
      const found = await codes(({ agents }) => {
        first(agents.agents).prompts = [{ id: 'greet', content: 'Hello' }];
        first(agents.agents).menu = [{ description: 'Item', ...item }];
      });
      expect(found).toEqual(leadsSomewhere ? [] : ['MENU_ITEM_DEAD agents.json /agents/0/menu/0']);
    });
  }
});

describe('what is no package', () => {
  it('[B18] a folder without bmad.json', async () => {
    expect(codesOf(await inspectFiles({ 'readme.txt': 'hello' }))).toEqual(['NOT_A_PACKAGE bmad.json']);
  });

  it('[B18] a package inside a folder says where', async () => {
    const { diagnostics } = await inspectFiles(
      Object.fromEntries(Object.entries(samplePackage()).map(([path, text]) => [`story/${path}`, text])),
    );
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]?.message).toContain('"story/"');
  });

  it.each(['workflow.yaml', 'workflows/x/workflow.xml', 'src/module.yaml', 'agents/dev.agent.yaml'])(
    '[B18] classic BMAD (%s) is named as such',
    async (path) => {
      expect(codesOf(await inspectFiles({ [path]: 'name: x' }))).toEqual([`CLASSIC_BMAD ${path}`]);
    },
  );
});

describe('hostile values', () => {
  it.each(['bmad.json', 'agents.json', 'workflow.graph.json'])('[B7] __proto__ in %s', async (path) => {
    const files = samplePackage();
    const text = (files[path] ?? '').replace('{', '{"__pro\\u0074o__": {"polluted": true},');
    expect(codesOf(await inspectFiles({ ...files, [path]: text }))).toContain(`UNSAFE_VALUE ${path}`);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('[B7] __proto__ in frontmatter', async () => {
    expect(
      await codes(() => undefined, { 'workflow.md': workflow('variables: {__proto__: {polluted: true}}\n') }),
    ).toEqual(['UNSAFE_VALUE workflow.md /variables']);
  });

  it('[B7] JSON nested a hundred thousand levels deep', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const found = await codes(() => undefined, { 'agents.json': deep });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('UNSAFE_VALUE agents.json');
  });
});
