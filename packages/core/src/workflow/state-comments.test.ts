import type { StateUpdate } from '@crewagent/protocol/workflow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SAMPLE_GRAPH } from '../testing/sample-run.ts';
import { parseFrontmatter } from './full-frontmatter.ts';
import { createInitialState } from './initial-state.ts';
import { rewindState } from './rewind-state.ts';
import { type EditedText, editStateLists, updateStateText } from './update-state.ts';
import { readWorkflowState } from './workflow-state.ts';

const HEAD = 'schemaVersion: "1.1"\nworkflowType: sample\nrunId: r\n';

function documentOf(yaml: string): string {
  return `---\n${HEAD}${yaml}\n---\n\n# Body\n`;
}

/** YAML after the fixed keys of `documentOf`. */
function yamlOf(text: string | undefined): string | undefined {
  return text?.replace(`---\n${HEAD}`, '').replace(/\n---\n\n# Body\n$/, '');
}

function keysOf(text: string): { top: string[]; variables: string[] } {
  const parsed = parseFrontmatter(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return { top: Object.keys(parsed.value), variables: Object.keys(parsed.value.variables ?? {}) };
}

const textOf = (edited: EditedText): string | undefined => (edited.ok ? edited.text : undefined);
const update = async (...args: Parameters<typeof updateStateText>) => textOf(await updateStateText(...args));

describe('comments in a state document', () => {
  it.each<[string, string, StateUpdate, string]>([
    [
      'at the value that is set',
      'variables:\n  size: x # note\n  other: 1 # two',
      { variables: { set: { size: 'large' } } },
      'variables:\n  size: large # note\n  other: 1 # two',
    ],
    [
      'at another value',
      'variables:\n  size: x # note\n  # own line\n  other: 1 # two',
      { variables: { set: { other: 'large', added: 3 } } },
      'variables:\n  size: x # note\n  # own line\n  other: large # two\n  added: 3',
    ],
    [
      'at a value with an apostrophe',
      "variables:\n  size: it's x # note",
      { variables: { set: { size: 'large' } } },
      'variables:\n  size: large # note',
    ],
    [
      'at a quoted value with a hash in it',
      'variables:\n  size: "x # y" # note',
      { variables: { set: { size: 'large' } } },
      'variables:\n  size: large # note',
    ],
    [
      'at a value that becomes a list',
      'variables:\n  size: x # note',
      { variables: { set: { size: ['a', 'b'] } } },
      'variables:\n  size: # note\n    - a\n    - b',
    ],
    [
      'at a quoted key',
      'variables:\n  "my size": x # note\n  # tail',
      { variables: { set: { 'my size': 'large' } } },
      'variables:\n  "my size": large # note\n  # tail',
    ],
    [
      'in a list that is replaced',
      'variables:\n  size: x\n  list: # the list\n    # first\n    - a # letter\n    - b\n  # own line\n  last: 1',
      { variables: { set: { list: ['c'] } } },
      'variables:\n  size: x\n  # the list\n  # first\n  # letter\n  list:\n    - c\n  # own line\n  last: 1',
    ],
    [
      'at a list that was empty',
      'artifacts: # files\nvariables: # values\n  # none yet\nlast: 1',
      { artifacts: { append: ['a.md'] }, variables: { set: { size: 'x' } } },
      'artifacts: # files\n  - a.md\nvariables: # values\n  size: x\n  # none yet\nlast: 1',
    ],
    [
      'at a plain value that contains a hash',
      'currentNodeId: a#b # note',
      { currentNodeId: { set: 'c' } },
      'currentNodeId: c # note',
    ],
  ])('[S14] stay when the document is changed: %s', async (_, before, change, after) => {
    expect(yamlOf(await update(documentOf(before), change))).toBe(after);
    const windows = documentOf(before).replaceAll('\n', '\r\n');
    expect(await update(windows, change)).toBe(documentOf(after).replaceAll('\n', '\r\n'));
  });

  it('[S14] stay at items that are corrected or removed', async () => {
    const text = documentOf(
      'artifacts:\n  # first\n  - ./a.md # made\n  # again\n  - a.md # twice\n  - b.md',
    );
    const edited = textOf(
      await editStateLists(text, { artifacts: [{ index: 0, value: 'a.md' }, { index: 2 }] }),
    );
    for (const comment of ['first', 'made', 'again', 'twice']) expect(edited).toContain(`# ${comment}`);
    expect(yamlOf(edited)).toContain('- a.md # made\n');
  });

  it('[S14] the other items of a list keep their form', async () => {
    const text = documentOf('artifacts:\n  - "a.md"\n  - ./b.md\n  - \'c.md\'\n  - d.md');
    const lists = { artifacts: [{ index: 0 }, { index: 1, value: 'b.md' }, { index: 2 }] };
    expect(yamlOf(textOf(await editStateLists(text, lists)))).toBe(
      'artifacts:\n  - "a.md"\n  - b.md\n  - \'c.md\'',
    );
  });

  it('[S14] stay when a run is rewound', async () => {
    const text = documentOf(
      'currentNodeId: end-99\nstepsCompleted:\n  - step-01\n  # the end\n  - end-99 # reached\nvariables:\n  # says it all\n  workflowStatus: complete # done',
    );
    const before = await readWorkflowState(text);
    if (!before.ok) throw new Error(before.error.message);
    const now = '2026-02-01T00:00:00.000Z';
    const rewound = await rewindState(text, before.state, { to: 'step-01', graph: SAMPLE_GRAPH, now });
    for (const comment of ['the end', 'reached', 'says it all', 'done'])
      expect(rewound?.text).toContain(`# ${comment}`);
  });

  it('[S14] stay when a run begins', async () => {
    const template = documentOf(
      'currentNodeId: a # start\nstepsCompleted: # progress\n  # first\n  - a # done\nvariables:\n  workflowStatus: complete # status',
    );
    const identity = { runId: 'r2', activeAgentId: 'dev', workflowRef: 'w', currentNodeId: 'b' };
    const initial = await createInitialState(template, {
      ...identity,
      updatedAt: '2026-02-01T00:00:00.000Z',
    });
    if (!initial.ok) throw new Error(initial.error.message);
    for (const comment of ['start', 'progress', 'first', 'done', 'status'])
      expect(initial.text).toContain(`# ${comment}`);
  });

  it('[S14] rejects replacing a value that is referenced by an alias', async () => {
    const text = documentOf('variables:\n  base: &b x\n  copy: *b');
    expect(await update(text, { variables: { set: { base: 'y' } } })).toBeUndefined();
  });

  it('[S14] stay wherever they are and whatever is changed, and so does the key order', async () => {
    const entries = fc.constantFrom(
      'size: x',
      'size: "x # y"',
      "size: it's",
      'size: [a, b]',
      'size: {a: 1, "b c": 2}',
      'size: |\n    text # no comment\n    more',
      'size: >-\n    folded\n    text',
      'size:\n    - a\n    - b',
      'size:\n    deep:\n      deeper: 1\n    next: x',
      'size: [\n    a,\n    b\n    ]',
      'size:',
      'size: ""',
      '"size": x',
    );
    const artifacts = fc.constantFrom(
      'artifacts: []',
      'artifacts:',
      'artifacts: [a, b]',
      'artifacts:\n- a\n- b',
      'artifacts:\n  - a\n  - b',
      'artifacts: [\n  a,\n  b ]',
    );
    const values = fc.oneof(
      fc.constantFrom<unknown>('y', '', 'a # b', 1, null, true, [], {}, ['p', 'q'], { p: 'q' }, 'two\nlines'),
      fc.array(fc.record({ p: fc.constant(1) })),
    );
    const updates = fc.record<StateUpdate>(
      {
        variables: fc.record({
          set: fc.dictionary(fc.constantFrom('size', 'other', 'my key', 'added'), values, {
            minKeys: 1,
            maxKeys: 3,
            noNullPrototype: true,
          }),
        }),
        artifacts: fc.record({ append: fc.array(fc.constantFrom('a', 'z'), { maxLength: 2 }) }),
        currentNodeId: fc.record({ set: fc.constantFrom('b', '', 'x: y') }),
      },
      { requiredKeys: [] },
    );
    const positions = fc.array(fc.constantFrom('none', 'end', 'above', 'above-blank', 'above-outdented'), {
      minLength: 40,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(entries, artifacts, updates, positions, async (entry, list, change, wanted) => {
        const yaml = `currentNodeId: a\nvariables:\n  other: 1\n  ${entry}\n  last: z\n${list}\nteam: red`;
        const { text, comments } = withComments(yaml, wanted);
        const next = await update(documentOf(text), change);
        if (next === undefined) throw new Error(`not editable:\n${text}`);
        for (const comment of comments) expect(next).toContain(`# ${comment}.`);
        const [before, after] = [keysOf(documentOf(text)), keysOf(next)];
        expect(after.top).toEqual(expect.arrayContaining(before.top));
        expect(after.top.filter((key) => before.top.includes(key))).toEqual(before.top);
        expect(after.variables.slice(0, before.variables.length)).toEqual(before.variables);
      }),
    );
  });
});

/** Adds comments `# c1.`, `# c2.` … after and between lines, but not in block scalars, where a hash is text. */
function withComments(yaml: string, positions: readonly string[]): { text: string; comments: string[] } {
  const comments: string[] = [];
  const lines: string[] = [];
  const next = (): string => {
    comments.push(`c${comments.length + 1}`);
    return `# ${comments.at(-1)}.`;
  };
  let isBlock = false;
  for (const [index, line] of yaml.split('\n').entries()) {
    const indent = /^ */.exec(line)?.[0] ?? '';
    if (indent.length < 4) isBlock = false;
    const position = isBlock ? 'none' : positions[index];
    if (position === 'above') lines.push(`${indent}${next()}`);
    if (position === 'above-blank') lines.push(`${indent}${next()}`, '');
    if (position === 'above-outdented' && indent.length > 0) lines.push(`${indent.slice(2)}${next()}`);
    lines.push(position === 'end' ? `${line} ${next()}` : line);
    if (/[|>]-?$/.test(line)) isBlock = true;
  }
  return { text: lines.join('\n'), comments };
}
