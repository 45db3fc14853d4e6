import { expect, it } from 'vitest';
import { codesOf, inspectFiles, inspectSample } from '../../testing/inspect.ts';
import { type Bend, first, samplePackage, step, workflow } from '../../testing/packages/sample-package.ts';

/** Each of these once hid the errors after it. */
const withIssues = () =>
  samplePackage(
    ({ bmad, agents, graph }) => {
      bmad.version = 'one';
      bmad.autor = 'Ann';
      first(agents.agents).colour = 'red';
      first(agents.agents).menu = [
        { trigger: 'go', description: 'Start', workflow: 'none', exec: 'none.md' },
      ];
      first(graph.nodes).agentId = 'nobody';
      first(graph.edges).weight = 2;
      graph.nodes.push({ id: 'lost', typ: 'step', file: 'steps/lost.md' });
      graph.nodes.push({ id: 'gone', type: 'step', file: 'steps/gone.md' });
      graph.edges.push({ from: 'step-01', to: 'nowhere', label: 'next' });
    },
    {
      'workflow.md': workflow('artifacts: none\n'),
      'steps/step-01.md': step(
        'step-02',
        'step',
        'inputs: 1\ntransitions: [{to: a, label: a}, {to: b, label: b}]\n',
      ),
      'steps/lost.md': '# no frontmatter\n',
      'steps/end-99.md': step('end-99', 'end').replace('"1.1"', '1.1'),
    },
  );

it('[B10] twenty errors of eight kinds, one below the other, are in one report', async () => {
  expect(codesOf(await inspectFiles(withIssues()))).toEqual([
    'SCHEMA bmad.json /version',
    'SCHEMA bmad.json /autor',
    'SCHEMA agents.json /agents/0/colour',
    'SCHEMA workflow.md /artifacts',
    'SCHEMA workflow.graph.json /nodes/2/type',
    'SCHEMA workflow.graph.json /nodes/2/typ',
    'SCHEMA workflow.graph.json /edges/0/weight',
    'UNKNOWN_NODE workflow.graph.json /edges/1/to',
    'UNKNOWN_AGENT workflow.graph.json /nodes/0/agentId',
    'MISSING_FILE workflow.graph.json /nodes/3/file',
    'SCHEMA steps/step-01.md /inputs',
    'SCHEMA steps/end-99.md /schemaVersion',
    'BAD_FRONTMATTER steps/lost.md 1',
    'NODE_ID_MISMATCH steps/step-01.md /nodeId',
    'TRANSITIONS_DISAGREE steps/step-01.md /transitions/0',
    'TRANSITIONS_DISAGREE steps/step-01.md /transitions/1',
    'TRANSITIONS_DISAGREE steps/step-01.md /transitions',
    'TRANSITIONS_DISAGREE steps/step-01.md /transitions',
    'MENU_ITEM_DEAD agents.json /agents/0/menu/0',
    'MENU_ITEM_DEAD agents.json /agents/0/menu/0',
  ]);
});

it.each(['bmad.json', 'agents.json', 'workflow.graph.json'])(
  '[B10] a %s that is not JSON does not hide errors in other files',
  async (broken) => {
    const codes = codesOf(await inspectFiles({ ...withIssues(), [broken]: '{' }));
    expect(codes).toContain(`BAD_JSON ${broken} 1`);
    const others = ['SCHEMA steps/step-01.md /inputs', 'SCHEMA workflow.md /artifacts'];
    const own = {
      'bmad.json': 'SCHEMA bmad.json /autor',
      'agents.json': 'SCHEMA agents.json /agents/0/colour',
      'workflow.graph.json': 'UNKNOWN_NODE workflow.graph.json /edges/1/to',
    };
    for (const [file, code] of Object.entries(own)) if (file !== broken) others.push(code);
    expect(codes).toEqual(expect.arrayContaining(others));
  },
);

it('[B10] a manifest without an entry is not blamed for files it cannot name', async () => {
  const files = samplePackage(({ bmad }) => {
    bmad.entry = { workflow: 1 };
  });
  expect(codesOf(await inspectFiles(files))).toEqual([
    'SCHEMA bmad.json /entry/workflow',
    'SCHEMA bmad.json /entry/graph',
    'SCHEMA bmad.json /entry/agents',
  ]);
});

it('[B10] references to nodes with unreadable ids are not checked', async () => {
  const files = samplePackage(({ graph, agents }) => {
    first(graph.nodes).id = 1;
    first(graph.nodes).agentId = 'somebody';
    first(agents.agents).id = 2;
  });
  expect(codesOf(await inspectFiles(files))).toEqual([
    'SCHEMA agents.json /agents/0/id',
    'SCHEMA workflow.graph.json /nodes/0/id',
  ]);
});

it('[B10] an unknown key that resembles a key of the format is reported with that key', async () => {
  const { diagnostics } = await inspectFiles(withIssues());
  const fixes = diagnostics.filter(({ message }) => message.includes('unknown key')).map(({ fix }) => fix);
  expect(fixes).toEqual([
    expect.stringContaining('Did you mean "author"?'),
    expect.stringContaining('Remove it'),
    expect.stringContaining('Did you mean "type"?'),
    expect.stringContaining('Remove it'),
  ]);
});

it('[B10] in frontmatter and menu items such a key is a warning, if the similar key is absent', async () => {
  const files = samplePackage(
    ({ agents }) => {
      first(agents.agents).menu = [{ triger: 'go', description: 'Start', workflow: 'workflow.md', cmd: 'x' }];
    },
    {
      'workflow.md': workflow('variable: {a: 1}\nnote: mine\n'),
      'steps/step-01.md': step('step-01', 'step', 'output: [a.md]\noutputs: [b.md]\nset_variables: [a]\n'),
    },
  );
  const { diagnostics } = await inspectFiles(files);
  expect(codesOf({ diagnostics })).toEqual([
    'KEY_MISSPELT workflow.md /variable',
    'KEY_MISSPELT steps/step-01.md /set_variables',
    'KEY_MISSPELT agents.json /agents/0/menu/0/triger',
  ]);
  expect(diagnostics.map(({ line, fix }) => [line, fix.slice(0, 28)])).toEqual([
    [6, 'Did you mean "variables"? Ot'],
    [7, 'Did you mean "setsVariables"'],
    [21, 'Did you mean "trigger"? Othe'],
  ]);
});

it('[B10] names keys as they are written, and suggests the file that was meant', async () => {
  const { diagnostics } = await inspectFiles(
    samplePackage(
      ({ bmad, graph }) => {
        bmad.schemaVersion = 7;
        Object.assign(first(graph.nodes), { file: 'Steps/Step-01.md', type: 'stop' });
        Object.assign(graph.nodes[1] ?? {}, { file: 'steps\\end-99.md' });
      },
      { 'steps/step-01.md': `${step('step-01')}Run \`npm test\`.\n` },
    ),
  );
  expect(diagnostics.map(({ message, fix }) => [message.slice(0, 34), fix])).toEqual([
    ['"schemaVersion" is the number 7, e', 'Put it in quotes: schemaVersion: "1.1".'],
    ['"nodes[0].type" is "stop", expecte', 'Use one of these values.'],
    [
      'the step file "Steps/Step-01.md" o',
      'Did you mean "steps/step-01.md"? Upper and lower case are different.',
    ],
    ['the step file "steps\\end-99.md" of', 'Write "steps/end-99.md": paths are written with "/".'],
  ]);
});

it('[B10] [B14] names the command that allows a shell', async () => {
  const { diagnostics } = await inspectFiles(
    samplePackage(() => undefined, {
      'steps/step-01.md': `${step('step-01')}Run \`npm test\`. Ask sub-agents.\n`,
    }),
  );
  expect(diagnostics.map(({ message, fix }) => [message, fix.includes('crewagent shell enable')])).toEqual([
    ['the text relies on a shell, which is off unless a project allows commands', true],
    ['the text relies on sub-agents, which are not built in', false],
  ]);
});

it('[B10] agents that cannot be read are not missed elsewhere', async () => {
  const named: Bend = ({ graph }) => {
    for (const node of graph.nodes) node.agentId = 'analyst';
  };
  expect(await inspectSample(named, { 'agents.json': '[]' })).toEqual(['SCHEMA agents.json']);
});

it('[B10] does not suggest an id that is invalid', async () => {
  const { diagnostics } = await inspectFiles(
    samplePackage(({ graph }) => {
      first(graph.nodes).id = 'has space';
    }),
  );
  const mismatch = diagnostics.find(({ code }) => code === 'NODE_ID_MISMATCH');
  expect(mismatch?.fix).toBe('Give the node the id "step-01".');
});

it('[B1] every JSON document may reference its schema', async () => {
  const files = samplePackage(({ bmad, agents, graph }) => {
    for (const document of [bmad, agents, graph]) Object.assign(document, { $schema: './x.schema.json' });
  });
  expect(codesOf(await inspectFiles(files))).toEqual([]);
});
