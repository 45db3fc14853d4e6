/** Checks of imported steps, through the whole conversion of a small module. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sourceTree } from '../../testing/import-sources.ts';
import { convertSource } from '../convert-source.ts';

const TEMPLATE =
  '# Plan of {{user_name}}\n\n## Beds\n\n{{beds}}\n\n## Bed {{N}}: {{name}}\n\n## Tools\n\n{{tools}}\n';

function convert(steps: Readonly<Record<string, string>>) {
  const files = {
    'yard/module.yaml': 'code: yard\nplans:\n  prompt: "Where?"\n  default: plans\n  result: "{value}"\n',
    'yard/workflows/walk/workflow.md': '# Walk\n\nFollow steps/step-01-a.md\n',
    'yard/workflows/walk/plan-template.md': TEMPLATE,
    ...Object.fromEntries(
      Object.entries(steps).map(([name, text]) => [
        `yard/workflows/walk/steps/${name}.md`,
        text.startsWith('---') ? text : `---\noutputFile: '{plans}/plan.md'\n---\n${text}`,
      ]),
    ),
  };
  const { files: converted, report } = convertSource(sourceTree(files, 'yard'));
  const keysOf = (name: string): Record<string, unknown> => {
    const text = String(converted.get(`workflows/walk/steps/${name}.md`));
    return parse(/^---\n([\s\S]*?)\n---/.exec(text)?.[1] ?? '') as Record<string, unknown>;
  };
  return { keysOf, report };
}

const keysOfStep = (body: string) => convert({ 'step-01-a': body }).keysOf('step-01-a');
const file = (more: object) => ({ path: '{plans}/plan.md', ...more });

describe('produces', () => {
  const cases: [body: string, produces: object[] | undefined][] = [
    ['Write the plan to {outputFile}.', [file({ minWords: 40 })]],
    ['- IF C: append it to {outputFile}, then stop', [file({ change: 'required', minWords: 40 })]],
    ['Update {outputFile} frontmatter.', [file({ change: 'required', minWords: 5 })]],
    ['Write the list to {plans}/beds.yaml.', [{ path: '{plans}/beds.yaml', minWords: 5 }]],
    // Not in every run of the step, under a name that nobody knows, or not for long.
    ['If it rains, write the plan to {outputFile}.', undefined],
    ['- [N] New:\n  - write the plan to {outputFile}', undefined],
    ['Write it to {plans}/plan-{weather}.md.', undefined],
    ['Write {outputFile}.\n\nThen rename {outputFile} to {plans}/plan-{weather}.md.', undefined],
    ['This step ONLY discovers. Later ones save to {outputFile}.', undefined],
    ['Read {outputFile} and walk on.', undefined],
  ];
  it.each(cases)('[X41] %j', (body, produces) => {
    expect(keysOfStep(body).produces).toEqual(produces);
  });

  it('[X41] has the headings of the template that a step copies, if they are the same in every document', () => {
    const template = 'workflows/walk/plan-template.md';
    const text =
      "---\noutputFile: '{plans}/plan.md'\nplanTemplate: '../plan-template.md'\n---\nCopy {planTemplate} to {outputFile}.\n";
    expect(keysOfStep(text).produces).toEqual([
      file({
        headings: { from: template, only: ['Plan of {{user_name}}', 'Beds', 'Tools'] },
        minWords: 3,
      }),
    ]);
  });

  const SECTION = '```markdown\n## Beds\n\n### Roses\n\n{{roses}}\n\n## {{other}}\n```\n';

  it('[X41] has the section that a step appends', () => {
    const body = `- IF C: append it to {outputFile}\n\n## Append to document\n\nWhen saving, append:\n\n${SECTION}`;
    expect(keysOfStep(body).produces).toEqual([
      file({ change: 'required', headings: ['Beds'], minWords: 40 }),
    ]);
    expect(keysOfStep(`Save to {outputFile}.\n\nFor example:\n\n${SECTION}`).produces).toEqual([
      file({ change: 'required', minWords: 40 }),
    ]);
  });

  it('[X41] only has to exist where the step may be skipped, or continues a document', () => {
    const skipped = `Append to {outputFile}:\n\n${SECTION}\nIf there is no bed, skip this step.\n`;
    expect(keysOfStep(skipped).produces).toEqual([file({ change: 'exists', minWords: 5 })]);
    const { keysOf } = convert({
      'step-01-a':
        'Write {outputFile}. If it is there, load ./step-01b-continue.md, else load ./step-02-b.md',
      'step-01b-continue': 'Load the appropriate next step.',
      'step-02-b': 'Say goodbye.',
    });
    expect(keysOf('step-01-a').produces).toEqual([file({ change: 'exists', minWords: 5 })]);
  });

  it('[X41] has no placeholders left where the text says so', () => {
    const keys = "---\noutputFile: '{plans}/plan.md'\nplanTemplate: '../plan-template.md'\n---\n";
    const { keysOf } = convert({
      'step-01-a': `${keys}Copy {planTemplate} to {outputFile}, then load ./step-02-b.md\n`,
      'step-02-b': 'Write the rest to {outputFile}.\n\n- No placeholder text remains\n',
    });
    expect(keysOf('step-01-a').produces).toMatchObject([{ path: '{plans}/plan.md' }]);
    expect(keysOf('step-02-b').produces).toEqual([file({ minWords: 40, notContains: ['{{'] })]);
  });

  it('[X41] keeps keys of the source that have the same name', () => {
    const keys = keysOfStep('---\nwaits: never\nproduces: joy\n---\nHALT and wait for the person.\n');
    expect(keys).toMatchObject({ waits: true, source_waits: 'never', source_produces: 'joy' });
    expect(keys).not.toHaveProperty('produces');
  });
});

describe('the report', () => {
  it('[X41] has the line for each check', () => {
    const { report } = convert({
      'step-01-a': 'Write the plan to {outputFile}.\n\nHALT and wait for the person.\n',
    });
    const of = (name: string) => report.constructs.filter(({ construct }) => construct === name);
    expect(of('waits')).toMatchObject([
      { certainty: 'exact', line: 6, text: 'HALT and wait for the person.', workflow: 'walk' },
    ]);
    expect(of('produces')).toMatchObject([
      { certainty: 'inferred', line: 4, message: 'step-01-a writes {plans}/plan.md and at least 40 words.' },
    ]);
  });

  it('[X41] names workflows in which nothing is checked', () => {
    expect(convert({ 'step-01-a': 'Walk.' }).report.attention.join('\n')).toContain(
      'proves nothing in walk:',
    );
    const { keysOf, report } = convert({ 'step-01-a': 'Walk. Present what you saw in chat.' });
    expect(keysOf('step-01-a').waits).toBe(true);
    expect(report.attention.join('\n')).not.toContain('proves nothing');
  });
});
