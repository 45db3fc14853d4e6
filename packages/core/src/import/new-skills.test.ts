import { describe, expect, it } from 'vitest';
import { type SourceFiles, sourceTree } from '../testing/import-sources.ts';
import { convertSource } from './convert-source.ts';

interface Graph {
  readonly entryNodeId: string;
  readonly nodes: readonly { readonly id: string; readonly type: string }[];
  readonly edges: readonly {
    from: string;
    to: string;
    label: string;
    isDefault?: boolean;
    conditionText?: string;
  }[];
}

function convert(files: SourceFiles) {
  const { files: written, report } = convertSource(sourceTree(files, 'harbour'));
  const text = (path: string): string => String(written.get(path));
  const graph = (id: string): Graph => JSON.parse(text(`workflows/${id}/workflow.graph.json`)) as Graph;
  const edges = (id: string): string[] =>
    graph(id).edges.map(
      ({ from, to, label, isDefault }) => `${from} -${label}> ${to}${isDefault ? ' *' : ''}`,
    );
  const agents = () => JSON.parse(text('agents.json')) as { agents: Record<string, unknown>[] };
  return { written, report, text, graph, edges, agents };
}

const PILOT: SourceFiles = {
  'moor/SKILL.md':
    '---\nname: moor\ndescription: Moors a ship.\n---\n\n# Moor\n\nAsk which ship, then moor it.\n',
  'pilot/SKILL.md': `---
name: pilot
description: Guides ships. Use when somebody asks for Ida.
---

# Ida

## Identity

Twenty years on the river.

## Communication Style

Short sentences, no jokes before the lock.

## Principles

- The tide decides.
- A slow ship is a safe ship.

Stay Ida until the person says goodbye.

## Capabilities

| Code | Description | Skill |
|------|-------------|-------|
| MO | Moor a ship | moor |
| UN | Unload a ship | unload |
| WX | Tell the weather | Say what the wind does today. |

## On Activation

1. **Load config** from the installation and store it.
2. **Greet the person** and present the capabilities.
   - **Read the log** — search for \`**/log.md\` and keep it in mind.
`,
};

describe('agents whose persona is their text', () => {
  it('[Z20] are read with a persona in their customization, and what it injects', () => {
    const { agents, report } = convert({
      'moor/SKILL.md': PILOT['moor/SKILL.md'] ?? '',
      'pilot/SKILL.md':
        '---\nname: pilot\ndescription: Guides ships.\n---\n\n## On Activation\n\n1. **Adopt persona** -- You are `{persona.displayName}`.\n\n## Critical Actions\n\n- Check the tide.\n\n#### Capabilities\n\n| Code | Description | Skill |\n|---|---|---|\n| MO | Moor a ship | moor |\n',
      'pilot/customize.toml':
        '[metadata]\ntype = "agent"\nrole = "River pilot"\n\n[persona]\ndisplayName = "Ida"\ntitle = "Pilot"\nidentity = "Old hand."\ncommunicationStyle = "Short."\nprinciples = "Slow is safe."\n\n[inject]\nbefore = "Mind the ferry."\n',
    });
    expect(agents().agents).toMatchObject([
      {
        metadata: { name: 'Ida', title: 'Pilot' },
        persona: {
          role: 'River pilot',
          identity: 'Old hand.',
          communication_style: 'Short.',
          principles: 'Slow is safe.',
        },
        critical_actions: ['Check the tide.', 'Mind the ferry.'],
        menu: [{ trigger: 'MO', workflow: 'moor' }],
      },
    ]);
    expect(report.workflows.map(({ id }) => id)).toEqual(['moor']);
  });

  it.each([
    [
      'with a manifest',
      {
        'pilot/bmad-skill-manifest.yaml':
          'type: agent\nname: pilot\ndisplayName: Ida Holm\ntitle: Pilot\nicon: "⚓"\nrole: River pilot\nmodule: port\n',
      },
      ['Ida Holm', 'Pilot', '⚓', 'River pilot'],
    ],
    [
      'without one',
      {},
      [
        'Ida',
        'Guides ships. Use when somebody asks for Ida.',
        '👤',
        'Guides ships. Use when somebody asks for Ida.',
      ],
    ],
  ] as const)('[Z20] are read %s, with the table of capabilities as menu', (_, manifest, expected) => {
    const { agents, report } = convert({ ...PILOT, ...manifest });
    const [ida] = agents().agents;
    expect(ida).toMatchObject({
      id: 'pilot',
      metadata: { name: expected[0], title: expected[1], icon: expected[2] },
      persona: {
        role: expected[3],
        identity: 'Twenty years on the river.',
        communication_style: 'Short sentences, no jokes before the lock.',
        principles: ['The tide decides.', 'A slow ship is a safe ship.'],
      },
      critical_actions: [
        'Stay Ida until the person says goodbye.',
        'Read the log — search for `**/log.md` and keep it in mind.',
      ],
      menu: [
        { trigger: 'MO', description: 'Moor a ship', workflow: 'moor' },
        { trigger: 'WX', description: 'Tell the weather', action: 'Say what the wind does today.' },
      ],
    });
    expect(report.package).toMatchObject({ agents: 1, workflows: 1 });
    expect(report.constructs).toContainEqual(
      expect.objectContaining({ construct: 'menu item', certainty: 'dropped', text: 'Unload a ship' }),
    );
  });
});

const BUILD: SourceFiles = {
  'build/SKILL.md': '---\nname: build\ndescription: Builds a boat.\n---\n\nFollow ./workflow.md.\n',
  'build/workflow.md': `# Build

Speak {{.communication_language}}.

## Facts

{workflow.facts}

Write to {workflow.report_path} and heed {workflow.rules}.

## First step

Read fully and follow: \`[[snapshot:step-01-route.md]]\`.
`,
  'build/customize.toml':
    '[workflow]\nfacts = ["Wood floats."]\nreport_path = "reports/boat.md"\nrules = []\n',
  'build/step-01-route.md': `---
plan_file: ''
---

# Route

If a plan exists, EARLY EXIT by its status:
- \`draft\` → \`[[snapshot:step-02-plan.md]]\`
- \`ready\` → \`[[snapshot:step-03-saw.md]]\`
- \`stuck\` → HALT with status \`blocked\`.

Continue to item 3 below — not \`step-03-saw.md\`, item 3 of this list.

## NEXT

Read fully and follow \`[[snapshot:step-02-plan.md]]\`
`,
  'build/step-02-plan.md':
    '# Plan\n\nWrite the plan to {plan_file}.\n\n## NEXT\n\nRead fully and follow `[[snapshot:step-03-saw.md]]`\n',
  'build/step-03-saw.md': `# Saw

1. Look at the cut.
   - **bad_plan** — The plan is wrong. Do not touch the wood. Read fully and follow \`[[snapshot:step-02-plan.md]]\` to plan again.
   - **good** — Go on.

HALT with status \`done\`.
`,
  '_bmad/custom/build.toml': '[workflow]\nfacts = ["Iron sinks."]\n',
  '_bmad/custom/build.user.toml': '[workflow]\nreport_path = "my/boat.md"\n',
};

describe('tokens and routes of newer skills', () => {
  it('[Z11] status routes, loops and halts are edges; each status is an end', () => {
    const { graph, edges } = convert(BUILD);
    expect(
      graph('build')
        .nodes.filter(({ type }) => type === 'end')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['end-blocked', 'end-done']);
    expect(edges('build')).toEqual([
      'step-01-route -next> step-02-plan *',
      'step-01-route -ready> step-03-saw',
      'step-01-route -blocked> end-blocked',
      'step-02-plan -next> step-03-saw',
      'step-03-saw -bad_plan> step-02-plan',
      'step-03-saw -done> end-done *',
    ]);
  });

  it('[Z10] customised values of all layers are text or variables; no token of a template is left', () => {
    const { text, report } = convert(BUILD);
    const workflow = text('workflows/build/workflow.md');
    expect(workflow).toContain('\n- Wood floats.\n- Iron sinks.\n');
    expect(workflow).toContain('workflow_report_path: my/boat.md');
    expect(workflow).toContain('Write to {workflow_report_path} and heed (none).');
    expect(workflow).toContain('Speak {{communication_language}}.');
    expect(workflow).toMatch(/\n {2}plan_file: ""\n/);
    for (const file of [
      'workflow.md',
      'step-01-route.md',
      'step-02-plan.md',
      'step-03-saw.md',
      'workflow.graph.json',
    ])
      expect(text(`workflows/build/${file}`)).not.toMatch(/\{\{\.|\[\[snapshot|\{workflow\./);
    const cited = report.workflows.flatMap(({ edges }) => edges.flatMap(({ evidence }) => evidence));
    for (const { file, line = 0, text: quoted = '' } of cited)
      expect((BUILD[file] ?? '').split('\n')[line - 1]).toContain(quoted);
  });
});

describe('stages of a skill', () => {
  const stage = (next: string): string =>
    `${next === '' ? '' : `---\nnextStepFile: '${next}'\n---\n`}\n# A stage\n\nWork.\n`;

  it.each([
    [
      'listed in a table',
      {
        'net/SKILL.md':
          '# Net\n\n1. Load, read and execute `references/knot.md`.\n\n| # | Step | File |\n|---|---|---|\n| 1 | Knot | references/knot.md |\n| 2 | Cast | references/cast.md |\n',
        'net/references/cast.md': '# Cast\n\nDone.\n',
        'net/references/knot.md': stage('cast.md'),
        'net/references/rope.md': '# About rope\n',
      },
      ['knot -next> cast'],
    ],
    [
      'numbered',
      {
        'net/SKILL.md': '# Net\n\nRead references/01-knot.md first.\n',
        'net/references/01-knot.md': '# Knot\n\nThen read `references/02-cast.md`.\n',
        'net/references/02-cast.md': '# Cast\n',
      },
      ['01-knot -next> 02-cast'],
    ],
    [
      'in a folder of stages',
      {
        'net/SKILL.md': '# Net\n\nThe stages are in order.\n',
        'net/stages/knot.md': '# Knot\n',
        'net/stages/throw.md': '# Throw\n',
      },
      ['knot -next> throw'],
    ],
  ] as const)('[Z10] %s are nodes', (_, files, expected) => {
    expect(convert(files).edges('net')).toEqual(expected);
  });

  it('[Z50] are said to be prose where they are', () => {
    const { report } = convert({ 'net/SKILL.md': '# Net\n\n## Knot\n\nTie.\n\n## Cast\n\nThrow.\n' });
    expect(report.constructs.map(({ message }) => message)).toContain('One node: its stages are prose.');
  });
});

describe('workflows beside each other', () => {
  const SHARED: SourceFiles = {
    'trip/workflow-sail.md':
      '---\nname: sail\n---\n\n# Sail\n\nRead fully and follow: `./steps-s/step-01-go.md`\n',
    'trip/workflow-check.md':
      '---\nname: check\n---\n\n# Check\n\nRead fully and follow: `./steps-c/step-c-01-look.md`\n',
    'trip/steps-s/step-01-go.md':
      "---\nnextStepFile: './step-02-complete.md'\n---\n\n# Go\n\nFollow {nextStepFile}.\n",
    'trip/steps-s/step-02-complete.md':
      "---\ncheckFlow: '../steps-c/step-c-01-look.md'\n---\n\n# Done\n\n- IF V: Read fully and follow {checkFlow}\n- IF X: exit\n",
    'trip/steps-c/step-c-01-look.md':
      "---\nnextStepFile: './step-c-02-report.md'\n---\n\n# Look\n\nFollow {nextStepFile}.\n",
    'trip/steps-c/step-c-02-report.md': '# Report\n\nSay what you saw.\n',
  };

  it('[Z11] the first step of another workflow is a call, and the last step has a way out', () => {
    const { graph, edges } = convert(SHARED);
    expect(edges('sail')).toEqual([
      'step-01-go -next> step-02-complete',
      'step-02-complete -V> call-check',
      'step-02-complete -exit> end-done *',
      'call-check -done> end-done',
    ]);
    expect(graph('sail').nodes.map(({ id, type }) => `${type} ${id}`)).toEqual([
      'step step-01-go',
      'step step-02-complete',
      'subworkflow call-check',
      'end end-done',
    ]);
    expect(edges('check')).toEqual(['step-c-01-look -next> step-c-02-report']);
  });

  it('[Z10] what a workflow defines for its steps is a variable and an output; a name with a folder is never a namesake', () => {
    const { text, report } = convert({
      'log/workflow.md':
        "---\noutputFile: '{output_folder}/log.md'\n---\n\n# Log\n\n- `template` = `./assets/log.md`\n\nFollow `steps/step-01-open.md`.\n",
      'log/assets/log.md': '# Log of {ship}\n',
      'log/steps/step-01-open.md':
        '# Open\n\nCopy {template} to {outputFile}. For a talk, load `talks/workflow.md`.\n',
    });
    expect(text('workflows/log/workflow.md')).toContain('template: "@pkg/workflows/log/assets/log.md"');
    expect(text('workflows/log/workflow.md')).toMatch(/outputFile: ['"]\{output_folder\}\/log\.md['"]\n/);
    expect(text('workflows/log/steps/step-01-open.md')).toContain('  - "{output_folder}/log.md"');
    expect(text('workflows/log/steps/step-01-open.md')).not.toContain('talks/workflow.md": ');
    expect(report.workflows[0]?.verdict).toBe('faithful');
  });

  it('[Z11] a table of next steps is a table of edges', () => {
    const { edges } = convert({
      'log/workflow.md': '# Log\n\nFollow `steps/step-01-open.md`.\n',
      'log/steps/step-01-open.md':
        '# Open\n\n| Last | Next step |\n|---|---|\n| nothing | step-02-write.md |\n| step-02-write.md | step-03-close.md |\n',
      'log/steps/step-02-write.md': '# Write\n\nThen load `./step-03-close.md`.\n',
      'log/steps/step-03-close.md': '# Close\n',
    });
    expect(edges('log')).toEqual([
      'step-01-open -nothing> step-02-write *',
      'step-01-open -step-02-write.md> step-03-close',
      'step-02-write -next> step-03-close',
    ]);
  });
});
