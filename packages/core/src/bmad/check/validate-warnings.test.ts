import { describe, expect, it } from 'vitest';
import { codesOf, inspectFiles, inspectSample } from '../../testing/inspect.ts';
import {
  type Bend,
  type Files,
  first,
  samplePackage,
  step,
  workflow,
} from '../../testing/packages/sample-package.ts';

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
      'B70',
      'invalid typed inputs',
      () => undefined,
      {
        'workflow.md': workflow(
          'typedInputs:\n  - { name: bed, prompt: Which? }\n  - { name: bed, prompt: Again? }\n  - { name: kind, prompt: Which?, type: choice }\n  - 7\n',
        ),
      },
      [
        'TYPED_INPUT_INVALID workflow.md /typedInputs/1',
        'TYPED_INPUT_INVALID workflow.md /typedInputs/2',
        'TYPED_INPUT_INVALID workflow.md /typedInputs/3',
      ],
    ],
    [
      'B14',
      'outputs outside the project',
      ({ graph }) => {
        first(graph.nodes).outputs = [
          'artifacts/a.md',
          '/etc/x',
          'a/../../y',
          '{folder}/../b.md',
          '@pkg/z.md',
        ];
      },
      { 'steps/step-01.md': step('step-01', 'step', 'outputs: ["@project/a.md", "C:\\\\x.md", "~/y.md"]\n') },
      [
        'OUTPUT_OUTSIDE_PROJECT workflow.graph.json /nodes/0/outputs/1',
        'OUTPUT_OUTSIDE_PROJECT workflow.graph.json /nodes/0/outputs/2',
        'OUTPUT_OUTSIDE_PROJECT workflow.graph.json /nodes/0/outputs/4',
        'OUTPUT_OUTSIDE_PROJECT steps/step-01.md /outputs/1',
        'OUTPUT_OUTSIDE_PROJECT steps/step-01.md /outputs/2',
      ],
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
      'an unreachable node',
      ({ graph }) => {
        graph.nodes.push({ id: 'a', type: 'step', file: 'steps/a.md' });
      },
      { 'steps/a.md': step('a') },
      ['NODE_UNREACHABLE workflow.graph.json /nodes/2'],
    ],
    [
      'B14',
      'a decision with one outgoing edge',
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
      'B14',
      'a subworkflow without target',
      ({ graph }) => {
        first(graph.nodes).type = 'subworkflow';
      },
      { 'steps/step-01.md': step('step-01', 'subworkflow') },
      ['SUBWORKFLOW_WITHOUT_TARGET workflow.graph.json /nodes/0'],
    ],
    [
      'B14',
      'transitions that disagree',
      () => undefined,
      { 'steps/step-01.md': step('step-01', 'step', 'transitions: [{to: end-99, label: other}]\n') },
      ['TRANSITIONS_DISAGREE steps/step-01.md /transitions/0'],
    ],
    [
      'B14',
      'transitions that omit an edge',
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
      'B14',
      'a different isDefault is accepted',
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
      'B14',
      'an empty agentId in a node and a step',
      ({ graph }) => {
        first(graph.nodes).agentId = '';
      },
      { 'steps/step-01.md': step('step-01', 'step', 'agentId: ""\n') },
      ['BLANK_AGENT workflow.graph.json /nodes/0/agentId', 'BLANK_AGENT steps/step-01.md /agentId'],
    ],
    [
      'B14',
      'fields that nothing uses',
      ({ agents }) => {
        Object.assign(first(agents.agents), { discussion: true, userPromptTemplate: 'x', webskip: true });
      },
      {},
      [
        'FIELD_UNUSED agents.json /agents/0/userPromptTemplate',
        'FIELD_UNUSED agents.json /agents/0/discussion',
      ],
    ],
    [
      'B14',
      'no currentNodeId, which is the entry',
      () => undefined,
      { 'workflow.md': workflow('').replace(/^currentNodeId:.*\n/m, '') },
      [],
    ],
    [
      'B14',
      'an unknown agent in a step only',
      () => undefined,
      { 'steps/step-01.md': step('step-01', 'step', 'agentId: nobody\n') },
      ['STEP_AGENT_UNKNOWN steps/step-01.md /agentId'],
    ],
    [
      'B14',
      'empty dates',
      () => undefined,
      {
        'workflow.md': workflow('updatedAt: ""\ndecisionLog: [{from: a, to: b, label: c, decidedAt: ""}]\n'),
      },
      ['BLANK_DATE workflow.md /updatedAt', 'BLANK_DATE workflow.md /decisionLog/0/decidedAt'],
    ],
    [
      'B14',
      'an item hidden on every surface',
      ({ agents }) => {
        first(agents.agents).menu = [{ description: 'x', action: 'y', 'ide-only': true, 'web-only': true }];
      },
      {},
      ['MENU_ITEM_HIDDEN agents.json /agents/0/menu/0'],
    ],
    [
      'B14',
      'an unknown tool server',
      ({ agents }) => {
        first(agents.agents).tools = { mcp: { enabled: true, allowedServers: ['github', 'jira'] } };
      },
      {},
      ['TOOL_SERVER_UNKNOWN agents.json /agents/0/tools/mcp/allowedServers/1'],
    ],
    [
      'B14',
      'a checksum of itself',
      ({ bmad }) => {
        bmad.integrity = { sha256: 'A'.repeat(64) };
      },
      {},
      ['INTEGRITY_IGNORED bmad.json /integrity/sha256'],
    ],
    [
      'B14',
      'a newer runtime wanted',
      ({ bmad }) => {
        bmad.runtime = { minRuntimeVersion: '0.2.0' };
      },
      {},
      ['RUNTIME_TOO_OLD bmad.json /runtime/minRuntimeVersion'],
    ],
    [
      'B14',
      'an older required runtime is accepted',
      ({ bmad }) => {
        bmad.runtime = { minRuntimeVersion: '0.0.9', requiresNetwork: true };
      },
      {},
      [],
    ],
    [
      'B1',
      'absent collections are empty',
      () => undefined,
      { 'workflow.md': workflow().replace('stepsCompleted: []\n', '') },
      [],
    ],
    [
      'B1',
      'null collections are empty',
      () => undefined,
      { 'workflow.md': workflow('variables:\nartifacts:\n') },
      [],
    ],
    [
      'B1',
      'a bare YAML date is a date-time',
      () => undefined,
      { 'workflow.md': workflow('updatedAt: 2026-01-31\ndate: 2026-01-31\n') },
      [],
    ],
    [
      'B1',
      'other frontmatter keys are accepted',
      () => undefined,
      {
        'workflow.md': workflow('team: red\n'),
        'steps/step-01.md': step('step-01', 'step', 'difficulty: 3\n'),
      },
      [],
    ],
    [
      'B1',
      'other menu keys are accepted',
      ({ agents }) => {
        first(agents.agents).menu = [{ description: 'x', cmd: '*go', id: 7, workflow: 'workflow.md' }];
      },
      {},
      [],
    ],
    [
      'B1',
      'principles as one text are accepted',
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

  it('[B14] a step agent that does not exist leaves the node without one', async () => {
    const { package: loaded } = await inspectFiles(
      samplePackage(() => undefined, { 'steps/step-01.md': step('step-01', 'step', 'agentId: nobody\n') }),
    );
    expect(loaded?.workflows[0]?.nodes.get('step-01')?.agentId).toBeUndefined();
  });

  it('[B1] blank dates and paths count as absent', async () => {
    const blank = workflow('updatedAt:\n').replace('currentNodeId: ""', 'currentNodeId:');
    expect(await inspectSample(() => undefined, { 'workflow.md': blank })).toEqual([
      'BLANK_DATE workflow.md /updatedAt',
    ]);
    expect(
      await inspectSample(() => undefined, { 'steps/step-01.md': step('step-01', 'step', 'agentId:\n') }),
    ).toEqual(['BLANK_AGENT steps/step-01.md /agentId']);
    expect(
      await inspectSample(() => undefined, { 'workflow.md': workflow('updatedAt: 2026-02-30\n') }),
    ).toEqual(['SCHEMA workflow.md /updatedAt']);
  });

  it('[B1] a quoted date is a text and is rejected', async () => {
    expect(
      await inspectSample(() => undefined, { 'workflow.md': workflow('updatedAt: "2026-01-31"\n') }),
    ).toEqual(['SCHEMA workflow.md /updatedAt']);
  });
});
