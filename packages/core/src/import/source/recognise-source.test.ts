import { describe, expect, it } from 'vitest';
import { createSourceTree, type SourceTree } from './read-source.ts';
import { recogniseSource } from './recognise-source.ts';

function tree(files: Readonly<Record<string, string>>, name = 'garden'): SourceTree {
  return createSourceTree(
    name,
    new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
  );
}

const AGENT = 'agent:\n  metadata:\n    name: Fern\n';

describe('recognising a source', () => {
  const cases: [what: string, source: SourceTree, eras: string[], kinds: string[]][] = [
    [
      'v6 micro steps and classic workflows of one module',
      tree({
        'module.yaml': 'code: plants\n',
        'agents/fern.agent.yaml': AGENT,
        'workflows/sow/workflow.md': '# Sow\n',
        'workflows/sow/steps/step-01-soil.md': '# Soil\n',
        'workflows/weed/workflow.yaml': 'instructions: "{installed_path}/instructions.md"\n',
        'workflows/weed/instructions.md': '<workflow></workflow>\n',
      }),
      ['bmad-v6: agents/fern.agent.yaml'],
      ['micro-steps workflows/sow/workflow.md', 'classic workflows/weed/workflow.yaml'],
    ],
    [
      'an installed project',
      tree({
        '_bmad/plants/config.yaml': 'user_name: Ada\n',
        '_bmad/plants/agents/fern.md': '```xml\n<agent id="x" name="Fern">\n```\n',
        '_bmad/plants/workflows/sow/workflow.md': '# Sow\n',
        '_bmad/plants/workflows/sow/steps-c/step-01-soil.md': '# Soil\n',
      }),
      ['bmad-installed: _bmad/plants/config.yaml'],
      ['micro-steps _bmad/plants/workflows/sow/workflow.md'],
    ],
    [
      'newer BMAD skills, agents apart from workflows',
      tree({
        'module.yaml': 'code: plants\n',
        'fern/SKILL.md': '---\nname: fern\n---\n',
        'fern/customize.toml': '[agent]\nname = "Fern"\n',
        'sow/SKILL.md': '---\nname: sow\n---\nFollow ./steps/step-01-soil.md\n',
        'sow/customize.toml': '[workflow]\n',
        'sow/steps/step-01-soil.md': '# Soil\n',
      }),
      ['bmad-skills: fern/SKILL.md'],
      ['skill-steps sow/SKILL.md'],
    ],
    [
      'any folder of Agent Skills',
      tree({ 'press/SKILL.md': '---\nname: press\n---\n# Press flowers\n', 'press/references/paper.md': '' }),
      ['agent-skills: press/SKILL.md'],
      ['skill press/SKILL.md'],
    ],
  ];
  it.each(cases)('[Z1] %s', (_, source, eras, kinds) => {
    const found = recogniseSource(source);
    expect(found.eras.map(({ era, evidence }) => `${era}: ${evidence}`)).toEqual(eras);
    expect(found.workflows.map(({ kind, file }) => `${kind} ${file}`)).toEqual(kinds);
  });

  it('[Z1] a folder of no known era is rejected with what was expected', () => {
    expect(() => recogniseSource(tree({ 'notes.md': '# Notes\n' }))).toThrow(
      /nothing that can be imported: .*its pages do not say what they are \(notes\.md\)/,
    );
    expect(() => recogniseSource(tree({ '.cursor/rules/paper.mdc': '' }))).toThrow(
      /it has rules of an editor, which are not imported \(\.cursor\/rules\/paper\.mdc\)/,
    );
    expect(() => recogniseSource(tree({ 'bmad.json': '{}' }))).toThrow(/is already a package/);
  });

  it('steps of a nested workflow belong to that workflow', () => {
    const { workflows } = recogniseSource(
      tree({
        'plan/workflow.md': '',
        'plan/steps/step-01-a.md': '',
        'plan/sub/workflow.md': '',
        'plan/sub/steps/step-01-b.md': '',
      }),
    );
    expect(workflows.map(({ file, steps }) => [file, ...steps])).toEqual([
      ['plan/sub/workflow.md', 'plan/sub/steps/step-01-b.md'],
      ['plan/workflow.md', 'plan/steps/step-01-a.md'],
    ]);
  });
});
