import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeProof, ProducedFile } from '@crewagent/protocol/proof';
import { createVisitFacts } from '@crewagent/protocol/visit-facts';
import { describe, expect, it } from 'vitest';
import { createToolRig } from '../../testing/rigs/tool-rig.ts';
import { checkContent, judgeNode } from './judge-node.ts';
import { createProofFiles } from './proof-files.ts';

type Wanted = Partial<Omit<ProducedFile, 'path'>>;

/** The messages of unmet checks of one produced file. */
async function issuesOf(
  project: Record<string, string | Buffer>,
  path: string,
  wanted: Wanted = {},
  prepare: (folder: string) => Promise<unknown> = () => Promise.resolve(),
): Promise<string[]> {
  const rig = await createToolRig({ project });
  await prepare(rig.project);
  const produced = { path, count: { min: 1, max: 1 }, mustChange: false, ...wanted };
  const proof: NodeProof = { produces: [produced], consumes: [], verify: [] };
  const { checks } = await judgeNode({
    proof,
    variables: {},
    visit: createVisitFacts(),
    files: createProofFiles(rig.files),
    signal: new AbortController().signal,
    runVerify: () => Promise.resolve({ exitCode: 0, output: '' }),
  });
  return checks.filter(({ ok }) => !ok).map(({ message }) => message);
}

describe('content checks', () => {
  const cases: [title: string, content: string, wanted: Wanted, issue: string | undefined][] = [
    ['headings', '# A\n\n### **Scope** ##\n', { headings: ['scope', 'a'] }, undefined],
    [
      'headings in code',
      '# A\n\n```\n# Scope\n```\n',
      { headings: ['Scope', 'Risks'] },
      'a.md lacks the headings "Scope", "Risks".',
    ],
    ['template headings', '# Story 1.2: Log in\n', { headings: ['Story {{a}}.{{b}}: {{title}}'] }, undefined],
    [
      'other template headings',
      '# Story 1.2\n',
      { headings: ['Story {{a}}.{{b}}: {{title}}'] },
      'a.md lacks the heading "Story {{a}}.{{b}}: {{title}}".',
    ],
    ['Chinese words', '需求文档 v1', { minWords: 5 }, undefined],
    ['words', 'one two', { minWords: 3 }, 'a.md has 2 words and needs 3.'],
    ['texts', 'x', { contains: ['Acceptance'] }, 'a.md does not contain "Acceptance".'],
    ['leftovers', 'a {{b}} TODO', { notContains: ['{{', 'TODO', 'z'] }, 'a.md still contains "{{", "TODO".'],
  ];
  it.each(cases)('[S47] %s', async (_, content, wanted, issue) => {
    expect(await issuesOf({ 'a.md': content }, 'a.md', wanted)).toEqual(issue === undefined ? [] : [issue]);
  });

  const value = { type: 'object', required: ['status'], properties: { status: { enum: ['draft', 'done'] } } };
  const schema = { path: 'assets/story.schema.json', value };
  it.each([
    ['a.json', '{"status": "draft"}', undefined],
    ['a.json', '{"status": "new"}', 'a.json does not match assets/story.schema.json: status:'],
    ['a.json', '{', 'a.json is not valid JSON:'],
    ['a.yaml', 'status: done\n', undefined],
    ['a.yml', 'state: done\n', 'a.yml does not match assets/story.schema.json: status:'],
    ['a.md', '---\nstatus: done\n---\n# A\n', undefined],
    ['a.md', '# A\n', 'a.md has no readable frontmatter.'],
    ['a.txt', 'x', 'a.txt is neither JSON nor YAML nor Markdown.'],
  ])('[S47] a schema, of %s with %s', async (path, content, issue) => {
    const issues = await issuesOf({ [path]: content }, path, { schema });
    expect(issues).toEqual(issue === undefined ? [] : [expect.stringContaining(issue)]);
  });

  it('[S47] columns of a CSV file', async () => {
    const csv = { 'a.csv': '"id",Title;x\n1,2\n' };
    expect(await issuesOf(csv, 'a.csv', { columns: ['id', 'title'] })).toEqual([]);
    expect(await issuesOf(csv, 'a.csv', { columns: ['id', 'owner'] })).toEqual([
      'a.csv lacks the column "owner".',
    ]);
  });
});

describe('large files', () => {
  /** Turns of the event loop while `work` is pending: few if it holds up the process. */
  async function turnsDuring<T>(work: Promise<T>): Promise<{ readonly value: T; readonly turns: number }> {
    let turns = 0;
    let isPending = true;
    const count = (): void => {
      turns++;
      if (isPending) setImmediate(count);
    };
    setImmediate(count);
    const value = await work.finally(() => {
      isPending = false;
    });
    return { value, turns };
  }
  const signal = new AbortController().signal;
  const produced = { path: 'a', count: { min: 1, max: 1 }, mustChange: false };

  it('[S47] of 16 MiB are judged beside the process', async () => {
    const text = `# First\n${'word '.repeat(3_300_000)}\n# Last\n`;
    const wanted = { ...produced, headings: ['First', 'Last'], minWords: 3_300_000, notContains: ['TODO'] };
    const { value, turns } = await turnsDuring(checkContent('a.md', Buffer.from(text), wanted, signal));
    expect(value.map(({ issue }) => issue)).toEqual([undefined, undefined, undefined]);
    expect(turns).toBeGreaterThan(500);
  });

  it('[S47] are matched with a schema beside the process', async () => {
    const items = Array.from({ length: 400_000 }, (_, id) => ({ id, name: `item ${id}` }));
    const one = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
    const schema = { path: 's.json', value: { type: 'array', items: one, maxItems: 10 } };
    const bytes = Buffer.from(JSON.stringify(items));
    const { value, turns } = await turnsDuring(
      checkContent('a.json', bytes, { ...produced, schema }, signal),
    );
    expect(value).toEqual([
      { kind: 'schema', issue: expect.stringContaining('does not match s.json') as string },
    ]);
    expect(turns).toBeGreaterThan(500);
  });

  it('[S57] are not judged after a stop', async () => {
    const stopper = new AbortController();
    const bytes = Buffer.from('word '.repeat(3_000_000));
    const pending = checkContent('a.md', bytes, { ...produced, minWords: 4_000_000 }, stopper.signal);
    setImmediate(() => stopper.abort());
    expect(await pending).toEqual([
      { kind: 'minWords', issue: 'was not checked, because the run was stopped' },
    ]);
  });
});

describe('matches', () => {
  const project = { 'out/a.md': 'a', 'out/b.md': 'b', 'out/deep/c.md': 'c', 'out/d.txt': 'd' };
  it.each([
    ['out/*.txt', { min: 1, max: 1 }, undefined],
    ['out/*.md', { min: 1, max: 1 }, 'out/*.md matches 2 files and must match exactly 1.'],
    ['out/*.md', { min: 1, max: 5 }, undefined],
    ['out/**/*.md', { min: 3, max: 3 }, undefined],
    ['out/*.pdf', { min: 1, max: 5 }, 'out/*.pdf matches 0 files and must match 1 to 5.'],
  ])('[S47] of %s', async (path, count, issue) => {
    expect(await issuesOf(project, path, { count })).toEqual(issue === undefined ? [] : [issue]);
  });
});

describe('files that are not judged', () => {
  it('[S47] a link that leads out, a secret, a path outside of the mounts', async () => {
    const link = (folder: string): Promise<void> => symlink('/etc/hostname', join(folder, 'a.md'));
    expect(await issuesOf({}, 'a.md', {}, link)).toEqual(['a.md may not be read.']);
    expect(await issuesOf({ '.env': 'A=1' }, '.env')).toEqual(['.env may not be read.']);
    expect(await issuesOf({}, '../a.md')).toEqual(['../a.md does not exist.']);
    expect(await issuesOf({}, '/etc/hostname')).toEqual(['/etc/hostname does not exist.']);
  });

  it('[S47] a file over 16 MiB, a folder, a binary file where text is asked for', async () => {
    const large = (folder: string): Promise<void> =>
      writeFile(join(folder, 'a.md'), Buffer.alloc(16 * 1_048_576 + 1, 'a'));
    expect(await issuesOf({}, 'a.md', {}, large)).toEqual([
      'a.md is larger than 16 MiB and cannot be checked.',
    ]);
    expect(await issuesOf({ 'a/b.md': '' }, 'a')).toEqual(['a is a folder.']);
    const binary = { 'a.md': Buffer.from([0, 1, 2, 3]) };
    expect(await issuesOf(binary, 'a.md', { minWords: 1 })).toEqual(['a.md is not a text file.']);
    expect(await issuesOf(binary, 'a.md')).toEqual([]);
  });
});
