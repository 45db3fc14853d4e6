/** Changes of Markdown documents: by section, and of their frontmatter. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, createToolRig } from '../../testing/rigs/tool-rig.ts';

const PLAN = `---
status: draft # for now
stepsCompleted: [1, 2]
# who
authors:
  - Ann
---

# Plan

## Goals

One goal.

## Gaps

- first
- second

### Small

Details.

## Next
Soon.
`;

async function rigWith(files: Record<string, string | Buffer>) {
  const rig = await createToolRig({ project: files });
  const read = (path: string): Promise<string> => readFile(join(rig.project, path), 'utf8');
  const patch = async (path: string, ...patches: object[]) => rig.call('fs.apply_patch', { path, patches });
  return { ...rig, read, patch };
}

/** The plan after one section patch. */
async function planAfter(patch: object, plan = PLAN): Promise<string> {
  const { read, patch: apply } = await rigWith({ 'plan.md': plan });
  expect(codeOf(await apply('plan.md', { operation: 'section', ...patch }))).toBe('ok');
  return read('plan.md');
}

const withGaps = (gaps: string): string => PLAN.replace(/## Gaps\n[\s\S]*(?=\n## Next)/, `## Gaps\n${gaps}`);

describe('section patches', () => {
  it('[T11] replace the text below a heading, with its subsections; a repeated heading stays one', async () => {
    const expected = withGaps('\nNone.\n');
    expect(await planAfter({ heading: '## Gaps', content: 'None.\n' })).toBe(expected);
    expect(await planAfter({ heading: 'gaps', content: '## Gaps\n\nNone.\n\n' })).toBe(expected);
    expect(await planAfter({ heading: '### Small', content: 'Other.' })).toBe(
      PLAN.replace('Details.', 'Other.'),
    );
    expect(await planAfter({ heading: '## Next', content: 'Later.' })).toBe(PLAN.replace('Soon.', 'Later.'));
    expect(await planAfter({ heading: '## Next', content: '' })).toBe(PLAN.replace('Soon.\n', ''));
    expect(await planAfter({ heading: '## Empty', content: 'Text.' }, `${PLAN}\n## Empty`)).toBe(
      `${PLAN}\n## Empty\n\nText.`,
    );
    expect(await planAfter({ heading: '## A', content: 'Text.' }, '## A\n## B\n')).toBe(
      '## A\n\nText.\n\n## B\n',
    );
  });

  it('[T11] append to a section, or insert after it', async () => {
    const appended = await planAfter({ heading: '## Goals', content: 'Two goals.', mode: 'append' });
    expect(appended).toBe(PLAN.replace('One goal.\n', 'One goal.\n\nTwo goals.\n'));
    const item = await planAfter(
      { heading: '## L', content: '- two\n', mode: 'append' },
      '## L\n\n- one\n\n## M\n',
    );
    expect(item).toBe('## L\n\n- one\n- two\n\n## M\n');
    const inserted = await planAfter({
      heading: '## Goals',
      content: '## Scope\n\nAll.',
      mode: 'insertAfter',
    });
    expect(inserted).toBe(PLAN.replace('One goal.\n', 'One goal.\n\n## Scope\n\nAll.\n'));
    const last = await planAfter({ heading: '## Next', content: '## End\n\nDone.', mode: 'insertAfter' });
    expect(last).toBe(`${PLAN}\n## End\n\nDone.\n`);
    const tight = await planAfter({ heading: '## A', content: 'x', mode: 'append' }, '## A\ny\n## B\n');
    expect(tight).toBe('## A\ny\n\nx\n\n## B\n');
  });

  it('[T11] need exactly one such heading, and code is none', async () => {
    const { patch, read } = await rigWith({
      'a.md': '# A\n\n```\n## Code\n```\n\n## B\n\n### C\n\n## D\n\n### C\n',
    });
    const messageOf = async (heading: string): Promise<string> => {
      const result = await patch('a.md', { operation: 'section', heading, content: 'x' });
      return result.ok ? '' : result.error.message;
    };
    expect(await messageOf('## Code')).toBe(
      '"a.md" was not changed: it has no section "## Code"; its headings are:\n1 # A\n7 ## B\n9 ### C\n11 ## D\n13 ### C.',
    );
    expect(await messageOf('C')).toMatch(
      /^"a\.md" was not changed: it has 2 sections "C" \(### at line 9, ### at line 13\)/,
    );
    expect(await read('a.md')).toContain('### C\n');
  });

  it('[T11] keep line endings, the byte-order mark and every other byte', async () => {
    const before = Buffer.concat([
      Buffer.from('\uFEFF## A\r\n\r\nold é\r\n\r\n## B\r\n'),
      Buffer.from([0xe9, 0xff, 0x0d, 0x0a]),
    ]);
    const rig = await rigWith({ 'a.md': before, 'wide.md': Buffer.from('\uFEFF## A\nß\n## B\n', 'utf16le') });
    const edit = { operation: 'section', heading: '## A', content: 'new\nü' };
    expect(codeOf(await rig.patch('a.md', edit))).toBe('ok');
    expect(await readFile(join(rig.project, 'a.md'))).toEqual(
      Buffer.concat([
        Buffer.from('\uFEFF## A\r\n\r\nnew\r\nü\r\n\r\n## B\r\n'),
        Buffer.from([0xe9, 0xff, 0x0d, 0x0a]),
      ]),
    );
    expect(codeOf(await rig.patch('wide.md', edit))).toBe('ok');
    expect((await readFile(join(rig.project, 'wide.md'))).toString('utf16le')).toBe(
      '\uFEFF## A\nnew\nü\n## B\n',
    );
  });

  it('[T11] go through approval like every other change', async () => {
    const rig = await createToolRig({ project: { 'plan.md': PLAN }, policy: { approval: 'ask' } });
    const patches = [{ heading: '## Gaps', content: 'None.' }];
    const outcome = await rig.outcome('fs.apply_patch', { path: 'plan.md', patches });
    expect(outcome).toMatchObject({ kind: 'approval', action: { target: '@project/plan.md' } });
    expect(await readFile(join(rig.project, 'plan.md'), 'utf8')).toBe(PLAN);
  });
});

describe('frontmatter of documents', () => {
  it('[T11] is updated in place, with comments and order', async () => {
    const { patch, read } = await rigWith({ 'plan.md': PLAN });
    const update = {
      status: 'done',
      stepsCompleted: { append: [3] },
      authors: { append: ['Bo'] },
      reviewed: { set: true },
      scope: { area: 'all' },
    };
    expect(codeOf(await patch('plan.md', { operation: 'updateFrontmatter', update }))).toBe('ok');
    const [, body = ''] = /^---\n[\s\S]*?\n---\n([\s\S]*)$/.exec(PLAN) ?? [];
    expect(await read('plan.md')).toBe(
      `---\nstatus: done # for now\nstepsCompleted: [1, 2, 3]\n# who\nauthors:\n  - Ann\n  - Bo\nreviewed: true\nscope:\n  area: all\n---\n${body}`,
    );
  });

  it('[T11] is created where there is none, and refused where it is no YAML', async () => {
    const { patch, read } = await rigWith({
      'a.md': '# A\r\n',
      'b.md': '---\na: [\n---\n',
      'c.md': '---\nn: 1\n---\n',
    });
    const set = (path: string, update: object) => patch(path, { operation: 'updateFrontmatter', update });
    expect(codeOf(await set('a.md', { status: 'draft', steps: [] }))).toBe('ok');
    expect(await read('a.md')).toBe('---\r\nstatus: draft\r\nsteps: []\r\n---\r\n\r\n# A\r\n');
    expect(codeOf(await set('b.md', { a: 1 }))).toBe('E_PATCH_FAILED');
    expect(await set('c.md', { n: { append: [1] } })).toMatchObject({
      error: { message: '"c.md" was not changed: it has no list "n" to append to.' },
    });
  });

  it('[T11] can be set with a write, which keeps the other fields of the file', async () => {
    const { call, read } = await rigWith({ 'plan.md': PLAN });
    const written = { path: 'plan.md', content: '# Plan\n\nNew.\n', frontmatter: { status: 'done' } };
    expect(codeOf(await call('fs.write', written))).toBe('ok');
    expect(await read('plan.md')).toBe(
      '---\nstatus: done # for now\nstepsCompleted: [1, 2]\n# who\nauthors:\n  - Ann\n---\n\n# Plan\n\nNew.\n',
    );
    expect(codeOf(await call('fs.write', { ...written, path: 'new.md' }))).toBe('ok');
    expect(await read('new.md')).toBe('---\nstatus: done\n---\n\n# Plan\n\nNew.\n');
    await call('fs.write', {
      ...written,
      path: 'new.md',
      mode: 'append',
      content: 'More.\n',
      frontmatter: { n: 2 },
    });
    expect(await read('new.md')).toBe('---\nstatus: done\nn: 2\n---\n\n# Plan\n\nNew.\nMore.\n');
  });

  it('[T11] of the state document has its own fields', async () => {
    const { patch, stateText } = await rigWith({});
    const set = (update: object) => patch('@state/workflow.md', { operation: 'updateFrontmatter', update });
    expect(codeOf(await set({ status: 'done' }))).toBe('TOOL_ARGS_INVALID');
    expect(codeOf(await set({ variables: { set: { slug: 'a' } } }))).toBe('ok');
    expect(await stateText()).toContain('slug: a');
  });
});

describe('line numbers of fs.read in a change', () => {
  it('[T190] are left out of a file that is written back with them, and kept in one that has them', async () => {
    const { call, read } = await rigWith({ 'a.md': 'one\r\ntwo\r\n', 'b.tsv': '1:one\n2:two\n' });
    await call('fs.write', { path: 'a.md', content: '1:one\n2:TWO\n3:three\n' });
    expect(await read('a.md')).toBe('one\r\nTWO\r\nthree\r\n');
    await call('fs.write', { path: 'a.md', content: '1:other\n2:lines\n' });
    expect(await read('a.md')).toBe('1:other\r\n2:lines\r\n');
    await call('fs.write', { path: 'b.tsv', content: '1:one\n2:TWO\n' });
    expect(await read('b.tsv')).toBe('1:one\n2:TWO\n');
  });

  it('[T190] are left out if the lines with these numbers have this text, and only then', async () => {
    const text = 'one\ntwo\nthree\ntwo\nthree\n';
    const { patch, read } = await rigWith({ 'a.txt': text, 'b.tsv': '1:one\n2:two\n' });
    const replace = (find: string, by: string) => patch('a.txt', { operation: 'replace', find, replace: by });
    expect(codeOf(await replace('4:two\n5:three', '4:four\n5:five'))).toBe('ok');
    expect(await read('a.txt')).toBe('one\ntwo\nthree\nfour\nfive\n');
    expect(codeOf(await replace('1:two\n2:three', 'x'))).toBe('E_PATCH_FAILED');
    const diff = '@@ -2,2 +2,2 @@\n 2:two\n-3:three\n+3:THREE\n';
    expect(codeOf(await patch('a.txt', { operation: 'diff', diff }))).toBe('ok');
    expect(await read('a.txt')).toBe('one\ntwo\nTHREE\nfour\nfive\n');
    expect(codeOf(await patch('b.tsv', { operation: 'replace', find: '2:two', replace: '2:TWO' }))).toBe(
      'ok',
    );
    expect(await read('b.tsv')).toBe('1:one\n2:TWO\n');
  });
});
