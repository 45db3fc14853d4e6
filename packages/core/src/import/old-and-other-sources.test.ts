import { describe, expect, it } from 'vitest';
import { type SourceFiles, sourceTree } from '../testing/import-sources.ts';
import { convertSource } from './convert-source.ts';

const BAKERY: SourceFiles = {
  'core/agents/baker.md': `# baker

Read the whole block.

\`\`\`yaml
activation-instructions:
  - STEP 1: Read this file
  - Keep flour off the oven
agent:
  name: Ole
  id: baker
  title: Baker
  icon: 🥖
  whenToUse: Use for bread
persona:
  role: Baker of the town
  style: Warm
  identity: Bakes since 1990
  focus: Sourdough
  core_principles:
    - Time is an ingredient
commands:
  - help: Show the commands
  - bake {bread}: run task bake-bread.md with template loaf-tmpl.yaml
  - taste: Taste the bread and say what is missing
  - exit: Say goodbye
dependencies:
  tasks:
    - bake-bread.md
  templates:
    - loaf-tmpl.yaml
\`\`\`
`,
  'core/tasks/bake-bread.md': '# Bake\n\nRead {root}/data/flour.md.\n',
  'core/templates/loaf-tmpl.yaml': 'template:\n  id: loaf\n',
  'core/data/flour.md': '# Flour\n',
  'core/utils/workflow-advice.md': '# Advice\n\nHow workflows are used.\n',
  'core/workflows/day.yaml': `workflow:
  id: day
  name: A day in the bakery
  description: From dough to shop.
  sequence:
    - agent: baker
      creates: dough.md
      uses: loaf-tmpl
      notes: Save it in the docs/ folder.
    - agent: baker
      action: taste_dough
      optional: true
      notes: Only if there is time.
    - agent: baker
      action: bake
      repeats: for_each_loaf
    - step: repeat_baking
      action: continue_for_all_loaves
`,
};

describe('the old shape of BMAD', () => {
  const { files, report } = convertSource(sourceTree(BAKERY, 'bakery'));
  const json = (path: string): unknown => JSON.parse(String(files.get(path)));

  it('[Z1] is recognised by its agents; a page about workflows is none', () => {
    expect(report.source.eras).toEqual([{ era: 'bmad-v4', evidence: 'core/agents/baker.md' }]);
    expect(report.workflows.map(({ id, kind }) => `${kind} ${id}`)).toEqual(['sequence day']);
  });

  it('[Z20] has agents whose commands are the menu: tasks with their template, actions and what the runtime does', () => {
    expect(json('agents.json')).toMatchObject({
      agents: [
        {
          id: 'baker',
          metadata: { name: 'Ole', title: 'Baker', icon: '🥖', description: 'Use for bread' },
          persona: {
            role: 'Baker of the town',
            identity: 'Bakes since 1990. Sourdough',
            communication_style: 'Warm',
          },
          critical_actions: ['Keep flour off the oven'],
          menu: [
            { trigger: 'help', action: 'menu.show' },
            {
              trigger: 'bake',
              exec: '@pkg/assets/bakery/core/tasks/bake-bread.md',
              data: '@pkg/assets/bakery/core/templates/loaf-tmpl.yaml',
            },
            { trigger: 'taste', action: 'Taste the bread and say what is missing' },
            { trigger: 'exit', action: 'agent.dismiss' },
          ],
        },
      ],
    });
    expect([...files.keys()]).toContain('assets/bakery/core/data/flour.md');
  });

  it('[Z10] has sequences of agents, which are graphs: optional entries can be skipped, cycles lead back', () => {
    const { nodes, edges } = json('workflows/day/workflow.graph.json') as {
      nodes: { id: string; type: string; agentId?: string; outputs?: string[] }[];
      edges: { from: string; to: string; label: string }[];
    };
    expect(nodes.map(({ id, agentId, outputs }) => [id, agentId, outputs])).toEqual([
      ['step-01-dough', 'baker', ['docs/dough.md']],
      ['step-02-taste-dough', 'baker', undefined],
      ['step-03-bake', 'baker', undefined],
      ['step-04-repeat-baking', undefined, undefined],
      ['end-done', undefined, undefined],
    ]);
    expect(edges.map(({ from, to, label }) => `${from} -${label}> ${to}`)).toEqual([
      'step-01-dough -next> step-02-taste-dough',
      'step-01-dough -skip> step-03-bake',
      'step-02-taste-dough -next> step-03-bake',
      'step-03-bake -next> step-04-repeat-baking',
      'step-04-repeat-baking -repeat> step-03-bake',
      'step-04-repeat-baking -done> end-done',
    ]);
    expect(String(files.get('workflows/day/steps/step-01-dough.md'))).toContain(
      '@pkg/assets/bakery/core/templates/loaf-tmpl.yaml',
    );
  });
});

it('[Z50] entries of a sequence with the same name are cited with their own lines', () => {
  const sequence = ['make', 'bake', 'make']
    .map((name) => `    - agent: baker\n      action: ${name}\n`)
    .join('');
  const day = `workflow:\n  id: day\n  sequence:\n${sequence}`;
  const { report } = convertSource(sourceTree({ ...BAKERY, 'core/workflows/day.yaml': day }, 'bakery'));
  expect(report.workflows[0]?.edges.map(({ evidence }) => evidence)).toMatchObject([
    [{ line: 7, text: 'action: bake' }],
    [{ line: 9, text: 'action: make' }],
  ]);
});

describe('a pack of the old shape', () => {
  const { files, report } = convertSource(
    sourceTree({
      'agents/potter.md': `# potter

\`\`\`yaml
agent:
  name: Pia
  id: potter
  title: Potter
persona:
  role: Makes pots
core_principles:
  - Clay first
commands:
  - '*help" - Show the commands'
  - '*throw {shape}" - Throw a pot of this shape'
  - glaze
dependencies:
  tasks:
    - throw.md
\`\`\`
`,
      'workflows/pots.yaml': `workflow:
  id: pots
  name: Pots
  full_sequence:
    - agent: potter
      creates: plan.md
      notes: Save it in your project docs/pots/ folder.
    - agent: potter
      action: throw
  quick_sequence:
    - agent: potter
      action: mend
`,
    }),
  );
  const json = (path: string): unknown => JSON.parse(String(files.get(path)));

  it('[Z10] with several sequences in a file begins with the choice of one', () => {
    const graph = json('workflows/pots/workflow.graph.json') as {
      entryNodeId: string;
      nodes: { id: string; outputs?: string[] }[];
      edges: { from: string; to: string; label: string }[];
    };
    expect(graph.entryNodeId).toBe('choose-start');
    expect(graph.edges.map(({ from, to, label }) => `${from} -${label}> ${to}`)).toEqual([
      'choose-start -full> step-01-plan',
      'choose-start -quick> step-01-mend',
      'step-01-plan -next> step-02-throw',
    ]);
    expect(graph.nodes[1]?.outputs).toEqual(['docs/pots/plan.md']);
  });

  it('[Z20] has commands as text and principles beside the persona; missing files are reported', () => {
    expect(json('agents.json')).toMatchObject({
      agents: [
        {
          persona: { principles: ['Clay first'] },
          menu: [
            { trigger: 'help', action: 'menu.show' },
            { trigger: 'throw', action: 'Throw a pot of this shape' },
            { trigger: 'glaze', action: 'glaze' },
          ],
        },
      ],
    });
    expect(report.unresolved).toMatchObject([{ reference: 'throw.md', file: 'agents/potter.md', line: 18 }]);
  });
});

describe('commands and agents of other tools', () => {
  const { files, report } = convertSource(
    sourceTree(
      {
        'agents/tuner.md':
          '---\nname: tuner\ndescription: Tunes pianos. Use for pianos.\n---\n\nYou tune pianos.\n\n- Listen first.\n',
        'commands/tune.md':
          '---\ndescription: Tunes one piano\nscripts:\n  sh: scripts/tune.sh\n---\n\n# Tune\n\nThe piano: $ARGUMENTS\n\n## Step 1: Listen\n\nRun {SCRIPT}.\n\n## Step 2: Turn\n\nTurn the pins.\n',
        'rules/felt.instructions.md': "---\napplyTo: '**'\n---\n\nUse felt.\n",
        'README.md': '# Pianos\n',
      },
      'pianos',
    ),
  );

  it('[Z1] are recognised; what is left out is counted', () => {
    expect(report.source.eras.map(({ era }) => era)).toEqual(['commands']);
    expect(report.package).toMatchObject({ workflows: 1, agents: 1 });
    expect(report.notCarriedOver).toEqual([
      expect.objectContaining({ what: 'references', count: 1 }) as object,
      { what: 'kinds', count: 1, examples: [{ file: 'rules/felt.instructions.md' }] },
    ]);
  });

  it('[Z10] a command is a workflow with the request of the person in place of its arguments', () => {
    expect(report.workflows).toMatchObject([{ id: 'tune', kind: 'command', nodes: 2 }]);
    expect(String(files.get('workflows/tune/workflow.md'))).toContain(
      'The piano: (what the person asked for)',
    );
    expect(String(files.get('workflows/tune/steps/step-1-listen.md'))).toContain('Run scripts/tune.sh.');
    expect(JSON.parse(String(files.get('agents.json')))).toMatchObject({
      agents: [
        {
          id: 'tuner',
          metadata: { name: 'tuner', title: 'Tunes pianos.' },
          persona: { identity: 'You tune pianos.', principles: '- Listen first.' },
        },
      ],
    });
  });
});

it('[Z11] a command that only names a skill calls it', () => {
  const { report } = convertSource(
    sourceTree({
      'commands/tie.md':
        '---\ndescription: Ties a knot\n---\n\nUse and follow the rope:tie-knots skill exactly as written.\n',
      'skills/tie-knots/SKILL.md':
        '---\nname: tie-knots\ndescription: Knots\n---\n\n# Knots\n\nAsk the user which knot.\n',
    }),
  );
  expect(report.workflows).toMatchObject([
    { id: 'tie', nodes: 2, edges: [{ from: 'call-tie-knots', to: 'end-done' }] },
    { id: 'tie-knots', nodes: 1 },
  ]);
  expect(report.notCarriedOver).toMatchObject([{ what: 'prose', count: 1, of: 2 }]);
});

it('[Z1] agents without a workflow are rejected with their files', () => {
  const agent = '---\nname: tuner\ndescription: Tunes pianos.\n---\n\nYou tune pianos.\n';
  expect(() => convertSource(sourceTree({ 'agents/tuner.md': agent }))).toThrow(
    /has agents \(agents\/tuner\.md\) but no workflow/,
  );
});

describe('a command that follows another file', () => {
  const { files, report } = convertSource(
    sourceTree({
      'commands/sail.md':
        '---\ndescription: Sails a boat\n---\n\n@~/.tool/kit/rules/wind.md\n@~/.tool/kit/rules/tide.md\n\nExecute the sail workflow from @~/.tool/kit/flows/sail.md end-to-end.\n',
      'kit/flows/sail.md':
        '<purpose>Sail.</purpose>\n\n<step name="rig">\nRig for $ARGUMENTS.\n</step>\n\n<step name="leave">\nWait for the person.\n</step>\n',
      'kit/rules/wind.md': '# Wind\n',
    }),
  );

  it('[Z10] has the steps of that file', () => {
    expect(report.workflows).toMatchObject([{ id: 'sail', nodes: 2 }]);
    expect(String(files.get('workflows/sail/steps/step-1-rig.md'))).toContain(
      'Rig for (what the person asked for).',
    );
  });

  it('[Z10] finds files where they were before installation; the others are reported', () => {
    expect(String(files.get('workflows/sail/workflow.md'))).toMatch(
      /@~\/\.tool\/kit\/rules\/wind\.md"?: "?@pkg\/assets/,
    );
    expect(report.unresolved).toMatchObject([{ reference: '@~/.tool/kit/rules/tide.md', line: 6 }]);
  });
});

describe('the verdict', () => {
  it.each([
    ['faithful', '# A\n\nHALT and wait for the answer. Then read fully and follow `./step-02-b.md`\n'],
    ['usable', '# A\n\nHALT and wait for the answer.\n'],
    [
      'needs-work',
      '# A\n\nHALT and wait. Read fully and follow `./step-02-b.md`. If it fails, load `./step-07-x.md`.\n',
    ],
  ])('[Z50] %s', (verdict, first) => {
    const { report } = convertSource(
      sourceTree({
        'w/workflow.md': '# W\n\nRead fully and follow `./steps/step-01-a.md`\n',
        'w/steps/step-01-a.md': first,
        'w/steps/step-02-b.md': '# B\n\nWrite {output_folder}/b.md.\n',
      }),
    );
    expect(report.workflows[0]?.verdict).toBe(verdict);
  });
});
