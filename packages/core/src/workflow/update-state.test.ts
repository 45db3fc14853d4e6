import { type StateUpdate, stateUpdateSchema } from '@crewagent/protocol/workflow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SAMPLE_STATE } from '../testing/sample-run.ts';
import { parseFrontmatter } from './full-frontmatter.ts';
import { updateStateText } from './update-state.ts';
import { STATE_LIMITS } from './workflow-state.ts';

async function update(text: string, change: StateUpdate): Promise<string | undefined> {
  const edited = await updateStateText(text, change);
  return edited.ok ? edited.text : undefined;
}

function fieldsOf(text: string | undefined): Record<string, unknown> {
  const parsed = parseFrontmatter(text ?? '', { limits: STATE_LIMITS });
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}

const STATE = SAMPLE_STATE.replace(' # ours', '');

describe('a state update', () => {
  it('[S14] changes only the affected lines', async () => {
    const text = await update(STATE, {
      stepsCompleted: { append: ['step-01'] },
      variables: { set: { key: 'a-1', count: 2, list: ['x', 'y: z'] } },
      decisionLog: { append: [{ from: 'a', to: 'b', label: 'next', reason: 'because: "so"' }] },
      currentNodeId: { set: 'decide-02' },
      updatedAt: { set: '2026-01-31T09:30:00.000Z' },
    });
    expect(text).toBe(`---
# progress of this run
schemaVersion: "1.1"
workflowType: sample
runId: 0190-run
currentNodeId: decide-02
stepsCompleted:
  - step-01
variables:
  key: a-1
  count: 2
  list:
    - x
    - "y: z"
decisionLog:
  - from: a
    to: b
    label: next
    reason: "because: \\"so\\""
# files made on the way
artifacts: []
team: red
updatedAt: "2026-01-31T09:30:00.000Z"
---

# Sample

Body stays.
`);
  });

  it('[S14] keeps comments, key order and body if the YAML is not plain', async () => {
    const text = await update(SAMPLE_STATE, {
      stepsCompleted: { append: ['step-01'] },
      currentNodeId: { set: 'x' },
    });
    expect(text).toContain('# progress of this run\nschemaVersion');
    expect(text).toContain('# files made on the way\nartifacts');
    expect(text).toContain('team: red # ours\n');
    expect(text?.endsWith('---\n\n# Sample\n\nBody stays.\n')).toBe(true);
    expect(Object.keys(fieldsOf(text))).toEqual(Object.keys(fieldsOf(SAMPLE_STATE)));
  });

  it('[S14] keeps the comment after a replaced value', async () => {
    const source = STATE.replace('currentNodeId: ""', 'currentNodeId: "a # b" # where it is').replace(
      'variables: {}',
      'variables: {} # set on the way',
    );
    const text = await update(source, { currentNodeId: { set: 'x' }, variables: { set: { a: 1 } } });
    expect(text).toContain('currentNodeId: x # where it is\n');
    expect(text).toContain('variables: # set on the way\n  a: 1\n');
  });

  it.each([STATE, SAMPLE_STATE])('[S14] keeps CRLF and BOM', async (source) => {
    const text = await update(`\uFEFF${source.replaceAll('\n', '\r\n')}`, {
      artifacts: { append: ['artifacts/a.md'] },
      variables: { set: { a: 'b' } },
    });
    expect(text?.startsWith('\uFEFF---\r\n')).toBe(true);
    expect(text?.replaceAll('\r\n', '')).not.toContain('\n');
    expect(fieldsOf(text).artifacts).toEqual(['artifacts/a.md']);
  });

  it('[S14] appends to a list in any style, and keeps its comments', async () => {
    for (const list of [
      'stepsCompleted: [a, b]',
      'stepsCompleted:\n- a\n- b',
      'stepsCompleted:\n    - a\n    # second\n    - b',
      'stepsCompleted:\n  - "a"\n  - b\n',
    ]) {
      const text = await update(STATE.replace('stepsCompleted: []', list), {
        stepsCompleted: { append: ['c'] },
      });
      expect(fieldsOf(text).stepsCompleted).toEqual(['a', 'b', 'c']);
      if (list.includes('# second')) expect(text).toContain('    # second\n    - b\n    - c\n');
    }
  });

  it('[S14] replaces a variable with its nested values, and no other', async () => {
    const source = STATE.replace(
      'variables: {}',
      'variables:\n  keep: 1\n  old:\n    deep:\n      - a\n  last: x',
    );
    const text = await update(source, { variables: { set: { old: 'new', last: ['y'] } } });
    expect(fieldsOf(text).variables).toEqual({ keep: 1, old: 'new', last: ['y'] });
  });

  it('[S15] allows thousands of entries, and says what to do at the limit', async () => {
    const paths = Array.from({ length: 20_000 }, (_, index) => `artifacts/ideas/idea-${index}.md`);
    const many = await update(STATE, { artifacts: { append: paths } });
    expect(fieldsOf(many).artifacts).toEqual(paths);
    const more = paths.map((path) => path.replace('ideas', 'ideas/of/the/second/and/last/evening'));
    expect(await updateStateText(many ?? '', { artifacts: { append: more } })).toMatchObject({
      ok: false,
      error: {
        code: 'E_WRITE_LIMIT',
        message: expect.stringContaining('into project files') as string,
      },
    });
  });

  it('[S14] changes exactly what any update names in any document, or nothing', async () => {
    const word = fc.constantFrom(
      'a',
      'step-01',
      'true',
      'null',
      '1',
      '~',
      'x: y',
      'a # b',
      '',
      ' ',
      '"q"',
      "it's",
      '- x',
      '{',
      '你好',
      'line\nbreak',
      '\u0007',
      '2026-01-31',
      'yes',
      '__proto__',
    );
    const value = fc.oneof(
      word,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(word, { maxLength: 3 }),
      fc.dictionary(word, word, { maxKeys: 2, noNullPrototype: true }),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const updates = fc.record(
      {
        stepsCompleted: fc.record({ append: fc.array(word, { maxLength: 3 }) }),
        variables: fc.record({ set: fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true }) }),
        decisionLog: fc.record({
          append: fc.array(fc.record({ from: word, to: word, label: word }), { maxLength: 2 }),
        }),
        artifacts: fc.record({ append: fc.array(word, { maxLength: 2 }) }),
        currentNodeId: fc.record({ set: word }),
      },
      { requiredKeys: [] },
    );
    const sources = fc.constantFrom(
      STATE,
      SAMPLE_STATE,
      STATE.replaceAll('\n', '\r\n'),
      STATE.replace('variables: {}\n', ''),
      STATE.replace('variables: {}', 'variables:\n  a: 1\n  step-01: {x: 1}'),
      STATE.replace('stepsCompleted: []', 'stepsCompleted: [a, b]'),
      STATE.replace('artifacts: []', 'artifacts:\n- "x"'),
    );
    await fc.assert(
      fc.asyncProperty(
        sources,
        fc.array(updates, { minLength: 1, maxLength: 3 }),
        async (source, changes) => {
          let text = source;
          for (const raw of changes) {
            const parsed = stateUpdateSchema.parse(raw);
            if (
              '__proto__' in (parsed.variables?.set ?? {}) &&
              Object.hasOwn(parsed.variables?.set ?? {}, '__proto__')
            )
              return;
            const before = fieldsOf(text);
            const next = await update(text, parsed);
            if (next === undefined) continue;
            const after = fieldsOf(next);
            expect(after.stepsCompleted).toEqual([
              ...((before.stepsCompleted as string[]) ?? []),
              ...(parsed.stepsCompleted?.append ?? []),
            ]);
            expect(after.variables ?? {}).toEqual({
              ...((before.variables as object) ?? {}),
              ...(parsed.variables?.set ?? {}),
            });
            expect(after.team).toBe('red');
            expect(next.slice(next.lastIndexOf('# Sample'))).toBe(
              source.slice(source.lastIndexOf('# Sample')),
            );
            text = next;
          }
        },
      ),
    );
  });
});
