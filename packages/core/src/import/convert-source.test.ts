import { type AgentsDocument, agentsDocumentSchema } from '@crewagent/protocol/agents';
import { importReportSchema } from '@crewagent/protocol/import-report';
import { describe, expect, it } from 'vitest';
import { CLASSIC, SKILLS, type SourceFiles, sourceTree, V6_MODULE } from '../testing/import-sources.ts';
import { parseFrontmatter } from '../workflow/full-frontmatter.ts';
import { type Converted, convertSource } from './convert-source.ts';

const SOW = 'plants/workflows/1-spring/sow-bed';
const v6 = convertSource(sourceTree({ ...V6_MODULE, ...CLASSIC }));
const skills = convertSource(sourceTree(SKILLS));

function textOf({ files }: Converted, path: string): string {
  const content = files.get(path);
  if (content === undefined) throw new Error(`there is no ${path}: ${[...files.keys()].join(', ')}`);
  return content.toString();
}

function fieldsOf(converted: Converted, path: string): Record<string, unknown> {
  const parsed = parseFrontmatter(textOf(converted, path));
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}

interface Graph {
  readonly entryNodeId: string;
  readonly nodes: { id: string; type: string; outputs?: string[]; agentId?: string }[];
  readonly edges: { from: string; to: string; label: string; isDefault?: true; conditionText?: string }[];
}

function graphOf(converted: Converted, id: string): Graph {
  return JSON.parse(textOf(converted, `workflows/${id}/workflow.graph.json`)) as Graph;
}

function agentsOf(converted: Converted): AgentsDocument['agents'] {
  return agentsDocumentSchema.parse(JSON.parse(textOf(converted, 'agents.json'))).agents;
}

function edgesOf(converted: Converted, id: string): string[] {
  return graphOf(converted, id).edges.map(
    ({ from, to, label, isDefault }) => `${from} -${label}-> ${to}${isDefault ? ' *' : ''}`,
  );
}

function bodyOf(source: SourceFiles, path: string): string {
  return (source[path] ?? '').replace(/^---\n[\s\S]*?\n---\n/, '');
}

it('[Z10] the entry file of a workflow that is not in the source is not mistaken for the one at hand', () => {
  const step = `${SOW}/steps/step-01-soil.md`;
  const party = '{project-root}/_bmad/core/workflows/party/workflow.md';
  const source = {
    ...V6_MODULE,
    [step]: (V6_MODULE[step] ?? '').replace('---\n', `---\npartyMode: '${party}'\n`),
  };
  const converted = convertSource(sourceTree(source));
  expect(fieldsOf(converted, 'workflows/sow-bed/steps/step-01-soil.md').partyMode).toBe(party);
});

describe('micro steps', () => {
  it('[Z10] every step becomes a node with its body unchanged and its frontmatter extended', () => {
    const { nodes, entryNodeId } = graphOf(v6, 'sow-bed');
    expect(entryNodeId).toBe('step-01-soil');
    expect(nodes.map(({ id, type }) => `${id} ${type}`)).toEqual([
      'step-01-soil step',
      'step-01b-continue step',
      'step-02-seeds step',
      'step-03-done end',
    ]);
    for (const { id } of nodes) {
      const text = textOf(v6, `workflows/sow-bed/steps/${id}.md`);
      expect(text.endsWith(`---\n${bodyOf(V6_MODULE, `${SOW}/steps/${id}.md`)}`)).toBe(true);
    }
    expect(textOf(v6, 'workflows/sow-bed/steps/step-01-soil.md')).toContain('\n# Paths\n');
    expect(fieldsOf(v6, 'workflows/sow-bed/steps/step-01-soil.md')).toMatchObject({
      name: 'step-01-soil',
      nextStepFile: './step-02-seeds.md',
      schemaVersion: '1.1',
      nodeId: 'step-01-soil',
      type: 'step',
      source_type: 'soil',
    });
  });

  it('[Z11] an option that starts over is not the default if there is another', () => {
    const continued = `# Continue

Load the next incomplete step.

#### If 'X' (Start over):

- Delete the plan and return to \`./step-01-soil.md\`
`;
    const files = { ...V6_MODULE, [`${SOW}/steps/step-01b-continue.md`]: continued };
    const edges = edgesOf(convertSource(sourceTree(files)), 'sow-bed');
    expect(edges.filter((edge) => edge.startsWith('step-01b'))).toEqual([
      'step-01b-continue -X-> step-01-soil',
      'step-01b-continue -resume step-02-seeds-> step-02-seeds *',
      'step-01b-continue -resume step-03-done-> step-03-done',
    ]);
  });

  it('[Z11] keys and prose links become edges: the letter is the label, the sentence the condition', () => {
    expect(edgesOf(v6, 'sow-bed')).toEqual([
      'step-01-soil -C-> step-02-seeds *',
      'step-01-soil -continue-> step-01b-continue',
      'step-02-seeds -C-> step-03-done *',
      'step-02-seeds -B-> step-01-soil',
      'step-01b-continue -resume step-02-seeds-> step-02-seeds *',
      'step-01b-continue -resume step-03-done-> step-03-done',
    ]);
    const [next, , done] = graphOf(v6, 'sow-bed').edges;
    expect(next?.conditionText).toBe(
      'IF C: Save to {outputFile}, then read fully and follow: {nextStepFile}',
    );
    expect(done?.conditionText).toBe("If 'C' (Continue): Load `./step-03-done.md`");
  });

  it('[Z11] each edge has its certainty and its source lines; a move to a missing step is dropped', () => {
    const edges = v6.report.workflows.find(({ id }) => id === 'sow-bed')?.edges ?? [];
    expect(edges.map(({ to, certainty }) => `${to} ${certainty}`)).toEqual([
      'step-02-seeds exact',
      'step-01b-continue exact',
      'step-03-done exact',
      'step-01-soil exact',
      'step-02-seeds inferred',
      'step-03-done inferred',
      './step-09-gone.md dropped',
    ]);
    expect(edges[0]?.evidence).toEqual([
      { file: `${SOW}/steps/step-01-soil.md`, line: 6, text: 'nextStepFile' },
      {
        file: `${SOW}/steps/step-01-soil.md`,
        line: 22,
        text: '- IF C: Save to {outputFile}, then read fully and follow: {nextStepFile}',
      },
    ]);
  });

  it('[Z10] a file that the text says to write is an output, unless the step says that it writes nothing', () => {
    const outputs = graphOf(v6, 'sow-bed').nodes.map(({ outputs: list }) => list ?? []);
    expect(outputs).toEqual([['{plans}/bed-{date}.md'], [], [], ['{plans}/calendar.md']]);
  });

  it('[Z10] side files keep their relative path, files of other folders become assets, references are rewritten', () => {
    expect(textOf(v6, 'workflows/sow-bed/bed.template.md')).toBe('# Bed of {{user_name}}\n');
    expect(fieldsOf(v6, 'workflows/sow-bed/steps/step-01-soil.md')).toMatchObject({
      bedTemplate: '@pkg/workflows/sow-bed/bed.template.md',
      askTask: '@pkg/assets/core/tasks/weigh.xml',
      references: { '_bmad/core/data/scale.csv': '@pkg/assets/core/data/scale.csv' },
    });
    expect(textOf(v6, 'assets/core/tasks/weigh.xml')).toContain('@pkg/assets/core/data/scale.csv');
    expect(textOf(v6, 'LICENSE')).toContain('Some Gardener');
    expect(v6.report.source.licence).toBe('MIT License, Copyright (c) 2026 Some Gardener');
  });

  it('[Z10] configured names in braces become variables; the body of workflow.md is unchanged', () => {
    const text = textOf(v6, 'workflows/sow-bed/workflow.md');
    expect(text.endsWith(`---\n${bodyOf(V6_MODULE, `${SOW}/workflow.md`)}`)).toBe(true);
    expect(fieldsOf(v6, 'workflows/sow-bed/workflow.md')).toMatchObject({
      variables: { communication_language: 'English', plans: 'artifacts/plans' },
      user_name: '',
      date: '',
    });
  });

  it('[Z10] questions of module.yaml become typed inputs, asked once per person or project', () => {
    expect(v6.report.inputs).toEqual([
      {
        name: 'user_name',
        prompt: 'How shall we call you?',
        type: 'text',
        default: 'Gardener',
        scope: 'person',
      },
      {
        name: 'communication_language',
        prompt: 'Which language do you speak?',
        type: 'text',
        default: 'English',
        scope: 'person',
      },
      {
        name: 'output_folder',
        prompt: 'Where do results go?',
        type: 'path',
        default: 'artifacts',
        scope: 'project',
      },
      {
        name: 'plans',
        prompt: 'Where do plans go? Beds and calendars.',
        type: 'path',
        default: '{output_folder}/plans',
        scope: 'project',
      },
      {
        name: 'skill_level',
        prompt: 'How long have you gardened?',
        type: 'choice',
        default: 'some',
        choices: [
          { value: 'new', label: 'Just started' },
          { value: 'some', label: 'A few years' },
        ],
        scope: 'person',
      },
    ]);
    const inputs = fieldsOf(v6, 'workflows/sow-bed/workflow.md').typedInputs as { name: string }[];
    expect(inputs.map(({ name }) => name)).toEqual([
      'user_name',
      'communication_language',
      'output_folder',
      'plans',
    ]);
  });

  it('[Z10] answers of an installed module are the initial values', () => {
    const installed = convertSource(
      sourceTree({
        '_bmad/plants/config.yaml': 'plans: "{project-root}/my-plans"\nuser_name: Ada\n',
        '_bmad/plants/workflows/sow/workflow.md': 'Plans go to {plans}. Load steps/step-01-a.md.\n',
        '_bmad/plants/workflows/sow/steps/step-01-a.md': '# A\n',
      }),
    );
    expect(fieldsOf(installed, 'workflows/sow/workflow.md').variables).toEqual({ plans: 'my-plans' });
  });

  it('[Z11] workflows that share a folder have their own steps; steps without a link follow by number', () => {
    const shared = convertSource(
      sourceTree({
        'plan/workflow-grow.md': '---\nname: grow\n---\nFollow ./steps-g/step-01-a.md\n',
        'plan/workflow-harvest.md': '---\nname: harvest\n---\nFollow ./steps-h/step-01-a.md\n',
        'plan/steps-g/step-01-a.md': '# A\n',
        'plan/steps-g/step-02-b.md': '# B\n',
        'plan/steps-h/step-01-a.md': '# A\nRead fully and follow ../steps-h/step-02-b.md\n',
        'plan/steps-h/step-02-b.md': '# B\n',
      }),
    );
    expect(edgesOf(shared, 'grow')).toEqual(['step-01-a -next-> step-02-b']);
    expect(edgesOf(shared, 'harvest')).toEqual(['steps-h-step-01-a -next-> steps-h-step-02-b']);
    expect(shared.report.totals.edges).toEqual({ exact: 1, inferred: 1, dropped: 0 });
  });
});

describe('steps for several voices', () => {
  it('[Z20] get the roster where they mention party mode or the list of agents, and no others', () => {
    const steps = 'yard/workflows/talk/steps/step-0';
    const converted = convertSource(
      sourceTree({
        'yard/module.yaml': 'code: yard\n',
        'yard/workflows/talk/workflow.md': '# Talk\n\nFollow steps/step-01-open.md\n',
        [`${steps}1-open.md`]:
          '# Open\n\nLoad {project-root}/_bmad/_config/agent-manifest.csv. Then follow ./step-02-ask.md\n',
        [`${steps}2-ask.md`]: '# Ask\n\n- [P] Party Mode\n- [C] Read fully and follow ./step-03-end.md\n',
        [`${steps}3-end.md`]: '---\nroster: all\n---\n# End\n\nThank everybody at the garden party.\n',
      }),
    );
    const roster = (name: string) => fieldsOf(converted, `workflows/talk/steps/step-0${name}.md`).roster;
    expect(['1-open', '2-ask', '3-end'].map(roster)).toEqual([true, true, undefined]);
    expect(
      converted.report.constructs
        .filter(({ construct }) => construct === 'roster of agents')
        .map(({ certainty }) => certainty),
    ).toEqual(['exact', 'inferred']);
  });
});

describe('workflows with several entry steps', () => {
  const modes = convertSource(
    sourceTree({
      'plan/workflow.md': `# Plan

IF C: Read fully and follow: ./steps-c/step-01-a.md
IF V: Read fully and follow: ./steps-v/step-v-01-look.md
`,
      'plan/steps-c/step-01-a.md': '# A\n',
      'plan/steps-c/step-02-b.md': '# B\n',
      'plan/steps-v/step-v-01-look.md': '# Look\n',
      'plan/steps-v/step-v-02-tell.md': '# Tell\n',
      'plan/steps-x/step-01-old.md': '# Old\n',
    }),
  );

  it('[Z10] start with a decision, and numbers link steps of one folder only', () => {
    const { entryNodeId, nodes } = graphOf(modes, 'plan');
    expect([entryNodeId, nodes[0]?.type]).toEqual(['choose-start', 'decision']);
    expect(edgesOf(modes, 'plan')).toEqual([
      'choose-start -C-> step-01-a *',
      'choose-start -V-> step-v-01-look',
      'step-01-a -next-> step-02-b',
      'step-v-01-look -next-> step-v-02-tell',
    ]);
  });

  it('[Z10] drop steps of an unreachable folder, and list them', () => {
    const dropped = modes.report.constructs.filter(({ certainty }) => certainty === 'dropped');
    expect(dropped.map(({ construct, file }) => `${construct} ${file}`)).toEqual([
      'step plan/steps-x/step-01-old.md',
    ]);
  });
});

describe('agents', () => {
  const agents = agentsOf(v6);
  const menu = agents[0]?.menu ?? [];

  it('[Z20] keep persona, critical actions and prompts; a workflow belongs to the agent that starts it', () => {
    expect(agents).toMatchObject([
      {
        id: 'fern',
        metadata: {
          name: 'Fern',
          title: 'Gardener',
          icon: '🌿',
          module: 'plants',
          sourceId: '_bmad/plants/agents/fern.md',
        },
        persona: { role: 'Plans beds', communication_style: "It's plain talk.", principles: '- Soil first.' },
        critical_actions: ['Read @pkg/assets/plants/agents/fern-sidecar/notes.md first'],
        prompts: [{ id: 'hello', content: 'Greet the person.' }],
      },
    ]);
    expect(graphOf(v6, 'sow-bed').nodes[0]?.agentId).toBe('fern');
  });

  it('[Z20] a trigger becomes a code and an alias; targets become workflows, actions or prompts; others are dropped', () => {
    const alias = (match: string) => [{ type: 'alias', match }];
    expect(menu.slice(0, 4)).toEqual([
      {
        trigger: 'SB',
        triggers: alias('sow-bed'),
        description: 'Sow a bed',
        workflow: 'sow-bed',
        data: '@pkg/assets/plants/data/frost.csv',
      },
      {
        trigger: 'WG',
        triggers: alias('weigh'),
        description: 'Weigh the harvest',
        action: 'Read @pkg/assets/core/tasks/weigh.xml completely and follow it.',
      },
      { trigger: 'WD', triggers: alias('weed-bed'), description: 'Weed a bed', workflow: 'weed-bed' },
      { trigger: 'HI', triggers: alias('hello'), description: 'Say hello', action: '#hello' },
    ]);
    const dropped = v6.report.constructs.filter(({ certainty }) => certainty === 'dropped');
    expect(dropped.map(({ construct, text }) => `${construct} ${text}`)).toEqual([
      'menu item [GO] Not there any more',
    ]);
  });

  it('[Z20] items that the BMAD compiler adds become built-in actions', () => {
    const added = menu.slice(4);
    expect(added.map(({ trigger, action }) => [trigger, action])).toEqual([
      ['MH', 'menu.show'],
      ['CH', expect.stringContaining('Talk with the person')],
      ['DA', 'agent.dismiss'],
    ]);
  });

  it('[Z20] compiled agents of an installation are parsed from their XML', () => {
    const installed = convertSource(
      sourceTree({
        '_bmad/plants/config.yaml': 'user_name: Ada\n',
        '_bmad/plants/agents/fern.md': `\`\`\`xml
<agent id="fern.agent.yaml" name="Fern" title="Gardener" icon="🌿">
<persona><role>Plans &amp; sows</role><identity>Old</identity><communication_style>Plain</communication_style>
<principles>Soil first.</principles></persona>
<prompts><prompt id="hi"><content>Say hi</content></prompt></prompts>
<menu>
<item cmd="MH or fuzzy match on menu or help">[MH] Menu once more</item>
<item cmd="SO or fuzzy match on sow" exec="{project-root}/_bmad/plants/workflows/sow/workflow.md">[SO] Sow</item>
<item cmd="DA or fuzzy match on exit">[DA] Send Fern home</item>
</menu></agent>
\`\`\`
`,
        '_bmad/plants/workflows/sow/workflow.md': '# Sow\n',
      }),
    );
    const [fern] = agentsOf(installed);
    expect(fern?.persona.role).toBe('Plans & sows');
    expect(fern?.menu?.map(({ trigger, action, workflow }) => [trigger, action ?? workflow])).toEqual([
      ['MH', 'menu.show'],
      ['SO', 'sow'],
      ['DA', 'agent.dismiss'],
    ]);
  });

  it('[Z20] the description of a menu item does not repeat its code', () => {
    const added = menu.slice(4).map(({ description }) => description);
    expect(menu.slice(0, 2).map(({ description }) => description)).toEqual([
      'Sow a bed',
      'Weigh the harvest',
    ]);
    expect(added).toEqual(['Show the menu again', 'Chat about anything', 'Dismiss the agent']);
  });
});

describe('classic workflows', () => {
  it('[Z10] each <step> becomes a node in the order of the numbers; other text is preserved, with a digest of the tags', () => {
    const { nodes, entryNodeId } = graphOf(v6, 'weed-bed');
    expect(entryNodeId).toBe('step-1-look-at-the-bed');
    expect(nodes.map(({ id, type }) => `${id} ${type}`)).toEqual([
      'step-1-look-at-the-bed step',
      'step-2-pull step',
      'step-3-compost step',
      'step-4-rest end',
      'step-20-report end',
      'call-sow-bed-2 subworkflow',
      'end-exit end',
    ]);
    const step = textOf(v6, 'workflows/weed-bed/steps/step-3-compost.md');
    expect(
      step.endsWith(
        '<step n="3" goal="Compost" optional="true">\n  <template-output>heap_count = {{count}}</template-output>\n</step>',
      ),
    ).toBe(true);
    const document = textOf(v6, 'workflows/weed-bed/workflow.md');
    expect(document).toContain('Leave the bees alone.');
    expect(document).toContain('- `<ask>`: Ask the person');
    expect(document).toContain('- beds: whole `{plans}/*bed*.md` (FULL_LOAD)');
    expect(document).not.toContain('<goto>');
  });

  it('[Z11] jumps, exits, optional steps and calls become edges with their enclosing condition', () => {
    expect(edgesOf(v6, 'weed-bed')).toEqual([
      'step-1-look-at-the-bed -goto-20-> step-20-report',
      'step-1-look-at-the-bed -next-> step-2-pull *',
      'step-1-look-at-the-bed -exit-> end-exit',
      'step-2-pull -next-> step-3-compost *',
      'step-2-pull -skip-> step-4-rest',
      'step-2-pull -call sow-bed-> call-sow-bed-2',
      'step-3-compost -next-> step-4-rest',
      'call-sow-bed-2 -next-> step-3-compost *',
      'call-sow-bed-2 -skip-> step-4-rest',
    ]);
    const conditions = graphOf(v6, 'weed-bed').edges.map(({ conditionText }) => conditionText);
    expect(conditions[0]).toBe('only a report is wanted');
    expect(conditions[2]).toBe('there are no weeds');
    expect(fieldsOf(v6, 'workflows/weed-bed/steps/call-sow-bed-2.md').subworkflow).toBe(
      '../sow-bed/workflow.md',
    );
    const dropped = v6.report.workflows.flatMap(({ edges }) => edges).filter(({ to }) => to === 'step 9');
    expect(dropped).toMatchObject([{ certainty: 'dropped' }]);
  });

  it.each([
    ['always', '', ['weed -call sow-bed-> call-sow-bed', 'call-sow-bed -done-> end-done']],
    [
      'on a condition',
      ' if="it rained"',
      ['weed -done-> end-done *', 'weed -call sow-bed-> call-sow-bed', 'call-sow-bed -done-> end-done'],
    ],
  ])('[Z11] a call in the last step becomes a node that calls, before the end: %s', (_, condition, edges) => {
    const file = Object.keys(CLASSIC).find((path) => path.endsWith('weed-bed/instructions.md')) ?? '';
    const path = /path="([^"]+)"/.exec(CLASSIC[file] ?? '')?.[1];
    const text = `# Weed\n\n<step n="1" goal="Last"><check${condition}><invoke-workflow path="${path}" /></check></step>\n`;
    const closing = convertSource(sourceTree({ ...V6_MODULE, ...CLASSIC, [file]: text }));
    expect(edgesOf(closing, 'weed-bed')).toEqual(edges);
    expect(graphOf(closing, 'weed-bed').nodes.map(({ id, type }) => `${id} ${type}`)).toEqual([
      'weed step',
      'call-sow-bed subworkflow',
      'end-done end',
    ]);
  });

  it('[Z10] template outputs become outputs and variables; values of workflow.yaml become variables', () => {
    expect(graphOf(v6, 'weed-bed').nodes[1]?.outputs).toEqual(['{plans}/weeds.md']);
    expect(fieldsOf(v6, 'workflows/weed-bed/steps/step-3-compost.md').setsVariables).toEqual(['heap_count']);
    const path = 'plants/workflows/weed-bed/instructions.md';
    const asking = CLASSIC[path]?.replace(
      '<ask>Which bed?</ask>',
      '<ask>Which bed?</ask><action>Set {{bed}}, {{row}} and {key} from it</action> Store bed_size for later use.',
    );
    const classic = convertSource(sourceTree({ ...V6_MODULE, ...CLASSIC, [path]: asking ?? '' }));
    expect(fieldsOf(classic, 'workflows/weed-bed/steps/step-1-look-at-the-bed.md').setsVariables).toEqual([
      'bed',
      'row',
      'key',
      'bed_size',
    ]);
    expect(fieldsOf(v6, 'workflows/weed-bed/workflow.md').variables).toEqual({
      output_folder: 'artifacts',
      plans: 'artifacts/plans',
      template: '@pkg/workflows/weed-bed/template.md',
      log_file: 'artifacts/plans/weeds.md',
      default_output_file: 'artifacts/plans/weeds.md',
      installed_path: '@pkg/workflows/weed-bed',
    });
    expect(v6.files.has('workflows/weed-bed/workflow.yaml')).toBe(true);
    expect(v6.files.has('workflows/weed-bed/instructions.md')).toBe(false);
  });
});

describe('skills', () => {
  it('[Z10] a skill is split at its numbered steps, with the other text in workflow.md; without steps it is one node', () => {
    expect(edgesOf(skills, 'press-flowers')).toEqual([
      'step-1-choose -next-> step-2-press',
      'step-2-press -goto-1-> step-1-choose',
      'step-2-press -done-> end-done *',
    ]);
    expect(
      textOf(skills, 'workflows/press-flowers/workflow.md').endsWith(
        '---\n\n# Press flowers\n\nBe gentle. {skill-root} is this folder.\n\n## Afterwards\n\nClean the table.\n',
      ),
    ).toBe(true);
    expect(textOf(skills, 'workflows/press-flowers/steps/step-1-choose.md')).toMatch(
      /---\n## Step 1: Choose\n[\s\S]*\nAny\.\n\n$/,
    );
    expect(graphOf(skills, 'note').nodes.map(({ id, type }) => `${id} ${type}`)).toEqual(['note end']);
    expect(
      textOf(skills, 'workflows/note/steps/note.md').endsWith(
        '---\nWrite one sentence; use templates/gone.md.\n',
      ),
    ).toBe(true);
  });

  it('[Z10] side folders keep their relative path, and {skill-root} points to the workflow', () => {
    expect(skills.files.has('workflows/press-flowers/references/flowers.md')).toBe(true);
    expect(skills.files.has('workflows/press-flowers/scripts/sort.py')).toBe(true);
    expect(fieldsOf(skills, 'workflows/press-flowers/workflow.md').variables).toEqual({
      'skill-root': '@pkg/workflows/press-flowers',
    });
  });

  it('[Z10] {installed_path} is the folder of the skill, whatever its frontmatter says', () => {
    const press =
      '---\nname: press\ninstalled_path: old/press\n---\n# Press\n\nRead {installed_path}/guide.md.\n';
    const source = convertSource(
      sourceTree({ 'press/SKILL.md': press, 'press/guide.md': 'A', 'press/b/guide.md': 'B' }),
    );
    expect(fieldsOf(source, 'workflows/press/steps/press.md').references).toEqual({
      '{installed_path}/guide.md': '@pkg/workflows/press/guide.md',
    });
  });

  it('[Z20] the [agent] table of customize.toml becomes an agent whose menu starts skills', () => {
    const [fern] = agentsOf(skills);
    expect(fern).toMatchObject({
      id: 'fern',
      metadata: { name: 'Fern', title: 'Gardener' },
      persona: {
        role: 'Plans "beds"',
        identity: 'Grew up in a nursery.',
        principles: ['Soil first.', 'Then water.'],
      },
      menu: [
        { trigger: 'PF', workflow: 'press-flowers' },
        { trigger: 'TK', action: 'Talk about plants.' },
      ],
    });
  });

  it('[Z20] a source without agents gets one neutral assistant', () => {
    const plain = convertSource(sourceTree({ 'SKILL.md': '# Note\n' }));
    expect(agentsOf(plain)).toMatchObject([{ id: 'assistant' }]);
  });
});

describe('the report', () => {
  it('[Z50] lists unresolved references, repairs and capabilities with file and line, and what to check first in ten lines', () => {
    const { report } = v6;
    expect(importReportSchema.parse(report)).toEqual(report);
    expect(
      report.unresolved.map(({ reference, file, line }) => [reference, file.split('/').at(-1), line]),
    ).toEqual([
      ['./step-09-gone.md', 'step-02-seeds.md', 12],
      ['{project-root}/_bmad/plants/workflows/gone/workflow.md', 'fern.agent.yaml', 36],
      ['{harvest}', 'step-03-done.md', 3],
    ]);
    expect(report.repairs.map(({ file, line }) => `${file}:${line}`)).toEqual([
      `${SOW}/steps/step-01-soil.md:10`,
      'plants/agents/fern.agent.yaml:13',
    ]);
    expect(report.capabilities).toMatchObject([
      {
        capability: 'web',
        count: 1,
        fallback: { text: expect.stringContaining('if not available, ask') as string },
      },
    ]);
    expect(skills.report.capabilities).toMatchObject([{ capability: 'shell', count: 1 }]);
    expect(report.attention.length).toBeLessThanOrEqual(10);
    expect(report.attention.join('\n')).toContain('Moves to steps that the source does not have');
  });

  it('[Z50] is deterministic, like the package', () => {
    const again = convertSource(sourceTree({ ...V6_MODULE, ...CLASSIC }));
    expect([...again.files].map(([path, content]) => [path, String(content)])).toEqual(
      [...v6.files].map(([path, content]) => [path, String(content)]),
    );
    expect(again.report).toEqual(v6.report);
  });

  it('one module or some workflows can be chosen; an unknown name is reported in one sentence', () => {
    const tree = sourceTree({ ...V6_MODULE, ...CLASSIC });
    const some = convertSource(tree, { module: 'plants', workflows: ['weed-bed'] });
    expect(some.report.workflows.map(({ id }) => id)).toEqual(['weed-bed']);
    expect(some.report.package.name).toBe('plants');
    expect(() => convertSource(tree, { module: 'mars' })).toThrow(/no module "mars"; it has/);
    expect(() => convertSource(tree, { workflows: ['mars'] })).toThrow(/no workflow "mars"; it has/);
    expect(() => convertSource(tree, { module: 'core' })).toThrow(/needs at least one workflow/);
  });
});

describe('a step that hands files to sub-agents', () => {
  it('[Z11] has them as documents, not as nodes that follow', () => {
    const { files, report } = convertSource(
      sourceTree({
        'w/workflow.md': '# W\n\nRead fully and follow `./steps/step-01-a.md`\n',
        'w/steps/step-01-a.md':
          '# A\n\n- **Subagent File:** `./step-01a-count.md`\n\nThen load `./step-02-b.md`.\n',
        'w/steps/step-01a-count.md': '# Count\n\nCount and return.\n',
        'w/steps/step-02-b.md': '# B\n\nAsk the user.\n',
      }),
    );
    expect(report.workflows.map(({ nodes, edges }) => [nodes, edges.map(({ to }) => to)])).toEqual([
      [2, ['step-02-b']],
    ]);
    expect(String(files.get('workflows/w/steps/step-01-a.md'))).toContain(
      './step-01a-count.md: "@pkg/workflows/w/steps/step-01a-count.md"',
    );
    expect(files.has('workflows/w/steps/step-01a-count.md')).toBe(true);
  });
});
