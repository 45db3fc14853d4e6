import { workflowFrontmatterSchema } from '@crewagent/protocol/workflow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { SAMPLE_STATE } from '../testing/sample-run.ts';
import { parseFrontmatter } from './full-frontmatter.ts';
import { createInitialState, type InitialState } from './initial-state.ts';

const identity = {
  runId: '01890a5d-ac96-774b-bcce-b302099a8057',
  activeAgentId: 'analyst',
  workflowRef: 'workflows/1/workflow.md',
  currentNodeId: 'step-01',
  updatedAt: '2026-01-31T09:30:00.000Z',
};

function textOf(initial: InitialState): string {
  if (!initial.ok) throw new Error(initial.error.message);
  return initial.text;
}

describe('the initial state document of a run', () => {
  it('[A14] is the template with the identity of the run, including comments', async () => {
    expect(textOf(await createInitialState(SAMPLE_STATE, identity))).toBe(`---
# progress of this run
schemaVersion: "1.1"
workflowType: sample
runId: "01890a5d-ac96-774b-bcce-b302099a8057"
currentNodeId: step-01
stepsCompleted: []
variables: {}
decisionLog: []
# files made on the way
artifacts: []
team: red # ours
activeAgentId: analyst
workflowRef: workflows/1/workflow.md
updatedAt: "2026-01-31T09:30:00.000Z"
---

# Sample

Body stays.
`);
  });

  it('[A14] has no progress of another run, and keeps the variables', async () => {
    const template = `---
schemaVersion: "1.1"
workflowType: sample
currentNodeId: end-99 # where
stepsCompleted: # ids
  - step-01
  - end-99
variables:
  language: de
  workflowStatus: complete
decisionLog:
  - { from: a, to: b, label: c }
artifacts: [a.md,
  b.md]
inputDocuments: [x.md]
callStack: [{ workflow: w.md, nodeId: n }]
updatedAt: ""
---
body`;
    const initial = await createInitialState(template, identity);
    expect(initial).toMatchObject({
      ok: true,
      state: {
        ...identity,
        stepsCompleted: [],
        decisionLog: [],
        artifacts: [],
        inputDocuments: ['x.md'],
        callStack: [],
        variables: { language: 'de', workflowStatus: '' },
      },
    });
    expect(textOf(initial)).toContain('# where');
    expect(textOf(initial)).toContain('# ids');
    expect(textOf(initial).endsWith('---\nbody')).toBe(true);
  });

  it.each(['inputDocuments: [a.md, b.md]', 'inputDocuments:\n  - a.md # ours\n  - b.md'])(
    "[A14] lists the author's documents before those of the command: %j",
    async (written) => {
      const template = SAMPLE_STATE.replace('artifacts: []', `artifacts: []\n${written}`);
      const brought = { ...identity, inputDocuments: ['@project/c.md', 'a.md'] };
      expect(await createInitialState(template, brought)).toMatchObject({
        ok: true,
        state: { inputDocuments: ['a.md', 'b.md', '@project/c.md'] },
      });
      expect(await createInitialState(template, identity)).toMatchObject({
        ok: true,
        state: { inputDocuments: ['a.md', 'b.md'] },
      });
    },
  );

  it('[A14] fills only fields the author left blank', async () => {
    const blanks = { project_name: 'larder', user_name: 'ada', date: '2026-01-31' };
    const template = SAMPLE_STATE.replace(
      'artifacts: []',
      'artifacts: []\nproject_name: ""\nuser_name: Grace\ndate:',
    );
    const text = textOf(await createInitialState(template, { ...identity, blanks }));
    expect(text).toMatch(/^project_name: larder$/m);
    expect(text).toMatch(/^user_name: Grace$/m);
    expect(text).toMatch(/^date: "?2026-01-31"?$/m);
    expect(textOf(await createInitialState(SAMPLE_STATE, { ...identity, blanks }))).not.toContain('larder');
  });

  it('[A14] keeps line endings and the byte order mark', async () => {
    const template = `\uFEFF${SAMPLE_STATE.replace('artifacts: []', 'artifacts:\n  - a.md\n  - b.md').replaceAll('\n', '\r\n')}`;
    const text = textOf(await createInitialState(template, identity));
    expect(text.startsWith('\uFEFF---\r\n')).toBe(true);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(text.endsWith('---\r\n\r\n# Sample\r\n\r\nBody stays.\r\n')).toBe(true);
  });

  const invalid: [what: string, template: string][] = [
    ['has no frontmatter', '# Only words'],
    ['is not YAML', '---\na: [\n---\n'],
    ['does not match its schema', '---\nschemaVersion: "1.1"\n---\n'],
    ['uses progress as an anchor', SAMPLE_STATE.replace('artifacts: []', 'artifacts: &a [x]\nmore: *a')],
  ];
  it.each(invalid)('[A14] is rejected if the template %s', async (_, template) => {
    expect(await createInitialState(template, identity)).toMatchObject({ ok: false });
  });

  it('[A14] is valid, and differs only in progress and identity, for any valid template', async () => {
    const id = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const template = fc.record(
      {
        schemaVersion: fc.constant('1.1'),
        workflowType: id,
        currentNodeId: fc.oneof(id, fc.constant('')),
        stepsCompleted: fc.array(id, { maxLength: 3 }),
        artifacts: fc.array(fc.string({ minLength: 1 }), { maxLength: 3 }),
        decisionLog: fc.array(fc.record({ from: id, to: id, label: fc.string({ minLength: 1 }) }), {
          maxLength: 2,
        }),
        variables: fc.dictionary(id, fc.oneof(fc.string(), fc.integer(), fc.boolean())),
        note: fc.string(),
      },
      { requiredKeys: ['schemaVersion', 'workflowType', 'currentNodeId', 'stepsCompleted'] },
    );
    await fc.assert(
      fc.asyncProperty(
        template,
        fc.string(),
        fc.constantFrom('\n', '\r\n'),
        async (fields, body, newline) => {
          const yaml = stringify(fields).replaceAll('\n', newline);
          const text = `---${newline}${yaml}---${newline}${body}`;
          const before = parseFrontmatter(text);
          fc.pre(
            before.ok && before.body === body && workflowFrontmatterSchema.safeParse(before.value).success,
          );
          const initial = await createInitialState(text, identity);
          const after = parseFrontmatter(textOf(initial));
          if (!after.ok || !before.ok) throw new Error('unreadable');
          expect(after.body).toBe(body);
          expect(after.value).toMatchObject({ ...identity, stepsCompleted: [] });
          for (const key of ['variables', 'note', 'workflowType'])
            expect(after.value[key]).toEqual(before.value[key]);
          expect(after.value.artifacts ?? []).toEqual([]);
          expect(after.value.decisionLog ?? []).toEqual([]);
        },
      ),
    );
  });
});
