import { describe, expect, it } from 'vitest';
import { codesOf, inspectFiles } from '../../testing/inspect.ts';
import {
  type Bend,
  type Files,
  first,
  samplePackage,
  step,
  workflow,
} from '../../testing/packages/sample-package.ts';

describe('errors', () => {
  const cases: [rule: string, what: string, bend: Bend, files: Files, expected: string[]][] = [
    [
      'B1',
      'an unquoted version in JSON',
      ({ bmad }) => {
        bmad.schemaVersion = 1.1;
      },
      {},
      ['SCHEMA bmad.json /schemaVersion'],
    ],
    [
      'B1',
      'an unquoted version in YAML',
      () => undefined,
      { 'steps/step-01.md': step('step-01').replace('"1.1"', '1.1') },
      ['SCHEMA steps/step-01.md /schemaVersion'],
    ],
    [
      'B1',
      'a version that is no version',
      ({ graph }) => {
        graph.schemaVersion = 'one';
      },
      {},
      ['SCHEMA workflow.graph.json /schemaVersion'],
    ],
    [
      'B1',
      'an unknown key in bmad.json',
      ({ bmad }) => {
        bmad.licence = 'MIT';
      },
      {},
      ['SCHEMA bmad.json /licence'],
    ],
    [
      'B1',
      'an unknown key in entry',
      ({ bmad }) => {
        (bmad.entry as Record<string, unknown>).extra = 1;
      },
      {},
      ['SCHEMA bmad.json /entry/extra'],
    ],
    [
      'B1',
      'an unknown key in an agent',
      ({ agents }) => {
        first(agents.agents).colour = 'red';
      },
      {},
      ['SCHEMA agents.json /agents/0/colour'],
    ],
    [
      'B1',
      'an unknown key on an edge',
      ({ graph }) => {
        first(graph.edges).weight = 2;
      },
      {},
      ['SCHEMA workflow.graph.json /edges/0/weight'],
    ],
    [
      'B1',
      'an unknown key in a transition',
      () => undefined,
      { 'steps/step-01.md': step('step-01', 'step', 'transitions: [{to: end-99, label: next, why: x}]\n') },
      ['SCHEMA steps/step-01.md /transitions/0'],
    ],
    [
      'B1',
      'an unknown key in a decision',
      () => undefined,
      { 'workflow.md': workflow('decisionLog: [{from: a, to: b, label: c, why: x}]\n') },
      ['SCHEMA workflow.md /decisionLog/0'],
    ],
    [
      'B1',
      'a bad SemVer',
      ({ bmad }) => {
        bmad.version = '1.0';
      },
      {},
      ['SCHEMA bmad.json /version'],
    ],
    [
      'B1',
      'a bad date',
      ({ bmad }) => {
        bmad.createdAt = '2026-02-30T00:00:00Z';
      },
      {},
      ['SCHEMA bmad.json /createdAt'],
    ],
    [
      'B1',
      'no agents',
      ({ agents }) => {
        agents.agents = [];
      },
      {},
      ['SCHEMA agents.json /agents'],
    ],
    [
      'B1',
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
      'B1',
      'a limit of zero',
      ({ agents }) => {
        first(agents.agents).tools = { fs: { maxReadBytes: 0 } };
      },
      {},
      ['SCHEMA agents.json /agents/0/tools/fs/maxReadBytes'],
    ],
    [
      'B1',
      'an id with a space',
      ({ graph }) => {
        first(graph.nodes).id = 'step 01';
      },
      {},
      [
        'SCHEMA workflow.graph.json /nodes/0/id',
        'UNKNOWN_NODE workflow.graph.json /entryNodeId',
        'UNKNOWN_NODE workflow.graph.json /edges/0/from',
        'NODE_ID_MISMATCH steps/step-01.md /nodeId',
      ],
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
      'B1',
      'a step without frontmatter',
      () => undefined,
      { 'steps/end-99.md': '# Hello\n' },
      ['BAD_FRONTMATTER steps/end-99.md 1'],
    ],
    [
      'B11',
      'a node id twice',
      ({ graph }) => {
        graph.nodes.push(first(graph.nodes));
      },
      {},
      ['DUPLICATE_ID workflow.graph.json /nodes/2/id'],
    ],
    [
      'B11',
      'an agent id twice',
      ({ agents }) => {
        agents.agents.push(first(agents.agents));
      },
      {},
      ['DUPLICATE_ID agents.json /agents/1/id'],
    ],
    [
      'B11',
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
      'B11',
      'a workflow id twice',
      ({ bmad }) => {
        const w = { id: 'w', workflow: 'workflow.md', graph: 'workflow.graph.json' };
        bmad.workflows = [w, w];
      },
      {},
      ['DUPLICATE_ID bmad.json /workflows/1/id'],
    ],
    [
      'B11',
      'an entry that is not a node',
      ({ graph }) => {
        graph.entryNodeId = 'nowhere';
      },
      {},
      ['UNKNOWN_NODE workflow.graph.json /entryNodeId'],
    ],
    [
      'B11',
      'an edge to a missing node',
      ({ graph }) => {
        graph.edges.push({ from: 'step-01', to: 'nowhere', label: 'x' });
      },
      {},
      ['UNKNOWN_NODE workflow.graph.json /edges/1/to'],
    ],
    [
      'B11',
      'a step with another nodeId',
      () => undefined,
      { 'steps/end-99.md': step('end-98', 'end') },
      ['NODE_ID_MISMATCH steps/end-99.md /nodeId'],
    ],
    [
      'B11',
      'a node with an unknown agent',
      ({ graph }) => {
        first(graph.nodes).agentId = 'nobody';
      },
      {},
      ['UNKNOWN_AGENT workflow.graph.json /nodes/0/agentId'],
    ],
    [
      'B10',
      'a newer format',
      ({ bmad }) => {
        bmad.schemaVersion = '1.3';
        bmad.unheardOf = true;
      },
      { 'agents.json': '{' },
      ['FORMAT_UNSUPPORTED bmad.json /schemaVersion'],
    ],
    [
      'B10',
      'an older format',
      ({ bmad }) => {
        bmad.schemaVersion = '1.0';
      },
      {},
      ['FORMAT_UNSUPPORTED bmad.json /schemaVersion'],
    ],
    [
      'B10',
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

  it.each([
    ['{\n  "nodes": [],\n  "agents": x\n}\n', 3],
    ['{\n  "a": 1\n  "b": 2\n}', 3],
    ['{\n  "a": [1, 2', 2],
    ['nope', 1],
  ])('[B11] reports the line of an error in %j', async (text, line) => {
    const { diagnostics } = await inspectFiles({ ...samplePackage(), 'agents.json': text });
    expect(diagnostics).toMatchObject([{ code: 'BAD_JSON', file: 'agents.json', line }]);
  });

  it('[B11] text that is not UTF-8', async () => {
    const files = {
      ...samplePackage(),
      'steps/step-01.md': Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]),
    };
    expect(codesOf(await inspectFiles(files))).toEqual(['NOT_UTF8 steps/step-01.md']);
  });

  it('[B1] the hint for a number is to quote it', async () => {
    const { diagnostics } = await inspectFiles(
      samplePackage(() => undefined, { 'steps/step-01.md': step('step-01').replace('"1.1"', '1.1') }),
    );
    expect(diagnostics[0]).toMatchObject({ line: 2, fix: expect.stringContaining('quotes') as string });
  });

  it('[B10] lists everything at once, each with a location, a message and a fix', async () => {
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
    expect(diagnostics.at(-1)?.code).toBe('TOO_MANY_ERRORS');
  });
});
