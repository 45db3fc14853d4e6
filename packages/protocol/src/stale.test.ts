import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from './events.ts';
import { createFileUse, type FileStep, type FileUse, lastTouches, toVisits } from './file-use.ts';
import { findStale, pathsToJudge } from './stale.ts';

const hash = (text: string): string =>
  [...text]
    .reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7)
    .toString(16)
    .padStart(64, '0')
    .slice(-64);
const at = (name: string): string => `@project/${name}`;
const visit = (nodeId: string, seq = 1): FileStep => ({ kind: 'visit', nodeId, seq });
const read = (name: string, content: string): FileStep => ({
  kind: 'read',
  path: at(name),
  sha256: hash(content),
});
const write = (name: string, content: string): FileStep => ({
  kind: 'write',
  path: at(name),
  sha256: hash(content),
});
const use = (...steps: FileStep[]): FileUse => ({ runId: 'r', steps });
const disk = (files: Record<string, string | null>) =>
  new Map(Object.entries(files).map(([name, text]) => [at(name), text === null ? null : hash(text)]));

const PRD = use(
  visit('plan'),
  read('docs/prd.md', 'prd'),
  write('artifacts/plan.md', 'plan'),
  visit('story', 2),
  read('artifacts/plan.md', 'plan'),
  write('artifacts/story.md', 'story'),
  visit('other', 3),
  read('docs/notes.md', 'notes'),
  write('artifacts/other.md', 'other'),
);
const ALL = {
  'docs/prd.md': 'prd',
  'artifacts/plan.md': 'plan',
  'artifacts/story.md': 'story',
  'docs/notes.md': 'notes',
  'artifacts/other.md': 'other',
};

const staleNodes = (of: FileUse, now: Record<string, string | null>) =>
  findStale(toVisits(of), { now: disk(now) }).map(({ nodes }) => nodes.join('/'));

describe('stale results', () => {
  it('[W24] nothing is stale as long as nothing changed', () => {
    expect(staleNodes(PRD, ALL)).toEqual([]);
  });

  it('[W24] a changed file makes the steps that read it stale, and those that read what they wrote, with the chain', () => {
    const found = findStale(toVisits(PRD), { now: disk({ ...ALL, 'docs/prd.md': 'new' }) });
    expect(found).toEqual([
      {
        runId: 'r',
        nodes: ['plan'],
        visit: 1,
        seq: 1,
        reasons: [{ kind: 'changed', path: at('docs/prd.md') }],
        results: [at('artifacts/plan.md')],
      },
      {
        runId: 'r',
        nodes: ['story'],
        visit: 1,
        seq: 2,
        reasons: [{ kind: 'depends', path: at('artifacts/plan.md'), from: 0 }],
        results: [at('artifacts/story.md')],
      },
    ]);
  });

  it('[W24] an edited result makes its readers stale, not its writer', () => {
    expect(staleNodes(PRD, { ...ALL, 'artifacts/plan.md': 'by hand' })).toEqual(['story']);
  });

  it('[W24] a removed file counts as changed, and a result that is gone is no result', () => {
    const found = findStale(toVisits(PRD), {
      now: disk({ ...ALL, 'docs/notes.md': null, 'artifacts/other.md': null }),
    });
    expect(found).toMatchObject([
      { nodes: ['other'], reasons: [{ kind: 'removed', path: at('docs/notes.md') }], results: [] },
    ]);
  });

  it('[W24] what the run changed itself later is no change: a loop over one file is not stale', () => {
    const loop = use(
      visit('first'),
      read('list.md', '0'),
      write('list.md', '1'),
      visit('again', 2),
      read('list.md', '1'),
      write('list.md', '2'),
    );
    expect(staleNodes(loop, { 'list.md': '2' })).toEqual([]);
    expect(staleNodes(loop, { 'list.md': 'by hand' })).toEqual([]);
  });

  it('[W24] a step of another installed version is stale, with what depends on it', () => {
    const found = findStale(toVisits(PRD), {
      now: disk(ALL),
      isStepChanged: ({ nodes }) => (nodes[0] === 'plan' ? '2.0.0' : undefined),
    });
    expect(found.map(({ nodes, reasons }) => [nodes[0], reasons[0]])).toEqual([
      ['plan', { kind: 'step', version: '2.0.0' }],
      ['story', { kind: 'depends', path: at('artifacts/plan.md'), from: 0 }],
    ]);
  });

  it('[W24] a rewound visit counts no more, and a file of another run is not a result of this one', () => {
    const rewound = use(
      ...PRD.steps,
      { kind: 'rewind', to: 'other' },
      visit('other', 4),
      read('docs/new.md', 'n'),
    );
    expect(staleNodes(rewound, { ...ALL, 'docs/notes.md': 'changed', 'docs/new.md': 'n' })).toEqual([]);
    const [first] = findStale(toVisits(PRD), {
      now: disk({ ...ALL, 'docs/prd.md': 'new' }),
      isOfOthers: (path) => path === at('artifacts/plan.md'),
    });
    expect(first?.results).toEqual([]);
  });

  it('[W24] called runs are in the order in which they worked, under the node that called them', () => {
    const root = use(
      visit('start'),
      write('a.md', 'a'),
      visit('call', 2),
      { kind: 'call', childId: 'c' },
      visit('end', 3),
      read('b.md', 'b'),
    );
    const child: FileUse = {
      runId: 'c',
      steps: [visit('inner'), read('a.md', 'a'), read('in.md', 'i'), write('b.md', 'b')],
    };
    const visits = toVisits(root, (id) => (id === 'c' ? child : undefined));
    const now = disk({ 'a.md': 'a', 'b.md': 'b', 'in.md': 'other' });
    expect(findStale(visits, { now }).map(({ nodes }) => nodes.join('/'))).toEqual(['call/inner', 'end']);
    // A log that names itself as called ends.
    expect(toVisits(root, () => root)).toHaveLength(3);
  });

  it('[W24] changing one file marks exactly the transitive readers of its last version', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const stepsOf = fc.array(
      fc.record({
        reads: fc.uniqueArray(name, { maxLength: 3 }),
        writes: fc.uniqueArray(name, { maxLength: 2 }),
      }),
      { minLength: 1, maxLength: 9 },
    );
    fc.assert(
      fc.property(stepsOf, name, (plan, changed) => {
        const files = new Map<string, { content: string; by: number | undefined }>();
        for (const file of 'abcde') files.set(file, { content: `${file}0`, by: undefined });
        const steps: FileStep[] = [];
        /** By reader: the writers of what it read, and the versions. */
        const inputs = plan.map(() => [] as { file: string; content: string; by: number | undefined }[]);
        for (const [index, { reads, writes }] of plan.entries()) {
          steps.push(visit(`n${index}`, index + 1));
          for (const file of reads) {
            const found = files.get(file) ?? { content: '', by: undefined };
            inputs[index]?.push({ file, ...found });
            steps.push(read(file, found.content));
          }
          for (const file of writes) {
            files.set(file, { content: `${file} by ${index}`, by: index });
            steps.push(write(file, `${file} by ${index}`));
          }
        }
        const last = files.get(changed)?.content;
        const expected = new Set<number>();
        for (const [index, own] of inputs.entries()) {
          const isDirect = own.some(({ file, content }) => file === changed && content === last);
          if (isDirect || own.some(({ by }) => by !== undefined && expected.has(by))) expected.add(index);
        }
        const now = new Map(
          [...files].map(([file, { content }]) => [at(file), hash(file === changed ? 'new' : content)]),
        );
        const found = findStale(toVisits(use(...steps)), { now });
        expect(found.map(({ nodes }) => nodes[0])).toEqual([...expected].map((index) => `n${index}`));
      }),
    );
  });

  it('[W24] any log is folded: paths outside of the project, hostile names and results are left out', () => {
    const path = fc.oneof(
      fc.string(),
      fc.constantFrom('@project/a', '@project/__proto__', '@state/x', '__proto__', '@project/../x'),
    );
    const event = fc.record({
      type: fc.constant('tool.ended'),
      name: fc.constantFrom('fs.read', 'fs.write', 'fs.apply_patch', 'shell.run', 'x'),
      outcome: fc.constantFrom('ok', 'failed'),
      content: fc.oneof(fc.string(), fc.json()),
      effect: fc.option(fc.record({ kind: fc.constantFrom('read', 'written', 'external'), path }), {
        nil: undefined,
      }),
      seq: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const fold = createFileUse('r');
        fold.add({ type: 'run.created', entryNodeId: '__proto__', seq: 1 } as RunEvent);
        for (const one of events) fold.add(one as unknown as RunEvent);
        const visits = toVisits(fold);
        for (const known of pathsToJudge(visits)) expect(known.startsWith('@project/')).toBe(true);
        expect(findStale(visits, { now: new Map() })).toEqual([]);
        expect([...lastTouches(visits).keys()].sort()).toEqual(pathsToJudge(visits).sort());
      }),
    );
  });
});
