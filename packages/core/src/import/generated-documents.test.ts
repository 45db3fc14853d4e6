/** What a text names and a source does not contain: its configuration, the discussion of agents, the folder of an output. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sourceTree } from '../testing/import-sources.ts';
import { convertSource } from './convert-source.ts';

const STEPS = 'workflows/survey/steps/';
const SOURCE = {
  'module.yaml':
    'code: river\nreports:\n  prompt: Where do reports go?\n  default: "reports/{project_name}"\nwater_level:\n  prompt: Which level?\n  default: high\n',
  'workflows/survey/workflow.md':
    '# Survey\n\nLoad {project-root}/_bmad/river/config.yaml and resolve water_level.\n\nFollow steps/step-01-look.md\n',
  [`${STEPS}step-01-look.md`]:
    '# Look\n\nRead `{project-root}/_bmad/river/config.yaml`.\n\n- IF P: Read fully and follow: {project-root}/_bmad/core/workflows/party-mode/workflow.md\n- IF C: Read fully and follow: ./step-02-note.md\n',
  [`${STEPS}step-02-note.md`]: '# Note\n\nWrite what you saw to `{boat_folder}/log.md`.\n',
};

const convert = () => {
  const { files, report } = convertSource(sourceTree(SOURCE, 'river'));
  return { report, text: (path: string) => String(files.get(path)) };
};
const fieldsOf = (text: string) => parse(text.split('---\n')[1] ?? '') as Record<string, unknown>;

describe('documents that a source does not contain', () => {
  it('[Z10] its configuration is a document of the package, without placeholders', () => {
    const { text } = convert();
    const step = fieldsOf(text('workflows/survey/steps/step-01-look.md'));
    expect(step.references).toMatchObject({
      '{project-root}/_bmad/river/config.yaml': '@pkg/assets/config.yaml',
    });
    expect(text('assets/config.yaml')).not.toContain('{');
    expect(parse(text('assets/config.yaml'))).toMatchObject({
      output_folder: 'artifacts',
      water_level: 'high',
    });
    expect(text('assets/config.yaml')).toContain('# reports: in the variables of the run');
  });

  it('[Z10] a name that a question asks for is a variable without braces, too', () => {
    const { variables, typedInputs } = fieldsOf(convert().text('workflows/survey/workflow.md'));
    expect(variables).toMatchObject({ water_level: 'high' });
    expect(typedInputs).toEqual([expect.objectContaining({ name: 'water_level' })]);
  });

  it('[Z20] a discussion of agents that is not in the source is one sentence about the roster', () => {
    const { text, report } = convert();
    const step = fieldsOf(text('workflows/survey/steps/step-01-look.md'));
    expect(step).toMatchObject({
      roster: true,
      references: {
        '{project-root}/_bmad/core/workflows/party-mode/workflow.md': '@pkg/assets/discussion.md',
      },
    });
    expect(text('assets/discussion.md').trim().split('\n')).toHaveLength(1);
    expect(report.unresolved.filter(({ reference }) => reference.includes('party'))).toEqual([]);
  });

  it('[Z50] an output whose folder nothing defines is counted as not carried over', () => {
    const { report } = convert();
    expect(report.notCarriedOver?.find(({ what }) => what === 'outputs')).toEqual({
      what: 'outputs',
      count: 1,
      examples: [
        { file: `${STEPS}step-02-note.md`, line: 3, text: 'Write what you saw to `{boat_folder}/log.md`.' },
      ],
    });
  });
});
