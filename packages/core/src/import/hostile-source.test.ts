import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { checkEntries } from '../bmad/archive/entry-rules.ts';
import { validatePackage } from '../bmad/check/validate-package.ts';
import { createFindings } from '../bmad/findings/findings.ts';
import { sourceTree } from '../testing/import-sources.ts';
import { convertSource } from './convert-source.ts';
import type { PackageContents } from './package-files.ts';

const piece = fc.constantFrom(
  '---\n',
  'name: x\n',
  'nextStepFile: ./step-02-b.md\n',
  '{nextStepFile}',
  'Load ',
  './step-02-b.md',
  '../../../etc/passwd.md',
  '<step n="1">',
  '</step>',
  '<check if="a">',
  'GOTO step 2',
  '<goto step="9"/>',
  '{project-root}/_bmad/x/y.md',
  '## Step 1: A\n',
  '## Step 2: B\n',
  '\n',
  '{{a}}',
  '`',
  '"',
  "'",
  ': ',
  '[[agent.menu]]\n',
  '= ',
  '<agent name="A">',
  '<menu><item cmd="x">y</item></menu>',
  '__proto__: 1\n',
  'outputFile: "{a}/b.md"\n',
  '\u202e',
  '<invoke-workflow path="x">',
  '[[kind:step-02-b.md]]',
  '{workflow.x}',
  '\n{workflow.y}\n',
  '{{.z}}',
  ' → ',
  'HALT with status `stuck`',
  '- IF X: exit\n',
  '| # | File | Next step |\n|---|---|---|\n| 1 | references/one.md | step-01-a.md |\n',
  '## Identity\n## Principles\n',
  '$ARGUMENTS {SCRIPT}',
);
const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));

async function errorsIn(written: PackageContents): Promise<unknown[]> {
  const findings = createFindings();
  checkEntries(
    [...written.keys()].map((name) => ({ name, kind: 'file', bytes: 1 })),
    findings,
  );
  const files = {
    paths: new Set(written.keys()),
    read: (path: string) => Promise.resolve(Buffer.from(written.get(path) ?? '')),
  };
  await validatePackage(files, { runtimeVersion: '1.0.0', knownServers: new Set() }, findings);
  return findings.list().filter(({ severity }) => severity === 'error');
}

describe('hostile sources', () => {
  it('[Z2] any files result in a package without errors, or one error sentence', async () => {
    const after = (start: string) => text.map((tail) => start + tail);
    const source = fc.record(
      {
        'module.yaml': after('code: m\n'),
        'a/workflow.md': text,
        'a/steps/step-01-a.md': text,
        'a/steps/step-02-b.md': text,
        'b/workflow.yaml': after('instructions: instructions.md\nstyle: {toString: x}\n'),
        'b/instructions.md': text,
        'agents/c.agent.yaml': after(
          'agent:\n  metadata:\n    name: C\n  menu:\n    - trigger: "x"\n      exec: ',
        ),
        'agents/d.md': after('<agent name="D">'),
        'e/SKILL.md': text,
        'f/SKILL.md': text,
        'f/customize.toml': after('[agent]\nname = "F"\n'),
        'e/customize.toml': after('[workflow]\nx = "y/z.md"\ny = [{ id = "a", instruction = "b" }]\n'),
        'e/references/one.md': text,
        'e/references/two.md': text,
        'g/SKILL.md': text,
        'g/bmad-skill-manifest.yaml': after('type: agent\ndisplayName: G\n'),
        'agents/h.md': after('```yaml\nagent:\n  name: H\ncommands:\n  - x: '),
        'agents/i.md': after('---\nname: i\ndescription: i\n---\n'),
        'commands/j.md': after('---\ndescription: j\n---\n'),
        'workflows/k.yaml': after('workflow:\n  sequence:\n    - creates: a.md\n      notes: '),
      },
      { requiredKeys: ['a/workflow.md', 'a/steps/step-01-a.md'] },
    );
    await fc.assert(
      fc.asyncProperty(source, async (files) => {
        try {
          const { files: written } = convertSource(sourceTree(files));
          expect(await errorsIn(written)).toEqual([]);
        } catch (error) {
          if (!(error instanceof CrewError)) throw error;
        }
      }),
    );
  });

  it('[Z2] long lines designed to be slow to search are cheap', () => {
    const line = `${'a'.repeat(3_990)}\n`;
    const tricky = [
      'IF '.repeat(1_300),
      '{a'.repeat(1_900),
      '<step '.repeat(600),
      'if a → '.repeat(500),
      '`git '.repeat(700),
    ];
    const body = [...tricky.map((text) => `${text}\n`), line].join('').repeat(20);
    const { report } = convertSource(
      sourceTree({
        'a/workflow.md': `Follow steps/step-01-a.md\n${body}`,
        'a/steps/step-01-a.md': body,
        'b/workflow.yaml': 'instructions: instructions.md\n',
        'b/instructions.md': `<step n="1" goal="x">${body}</step><step n="2" goal="y">${body}</step>`,
        'c/SKILL.md': body,
      }),
    );
    expect(report.workflows).toHaveLength(3);
  }, 30_000);
});
