/** The rule of the three-way merge, against an independent one (`git merge-file`), and that nothing is ever lost. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '@crewagent/core/store';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { mergeChanges } from './merge-changes.ts';
import { mergeText } from './merge-text.ts';
import type { Changes, ProjectEntry } from './project-entry.ts';
import { applyChanges, editTree, pathDanger, type Tree } from './project-tree.ts';

const contents = new Map<string, Buffer>();

function fileOf(text: string, isExecutable = false): ProjectEntry {
  const content = Buffer.from(text);
  const sha256 = sha256Of(content);
  contents.set(sha256, content);
  return { kind: 'file', sha256, bytes: content.length, ...(isExecutable ? { isExecutable } : {}) };
}

const textOf = ({ sha256 }: ProjectEntry): string => contents.get(sha256)?.toString() ?? '';
const readContent = async (sha256: string): Promise<Buffer> => contents.get(sha256) ?? Buffer.alloc(0);

/** Lines of a base text, each kept, dropped, changed or followed by a new one. */
const editsArb = fc.array(fc.constantFrom('keep', 'keep', 'keep', 'drop', 'change', 'insert'), {
  minLength: 8,
  maxLength: 8,
});

function edited(edits: readonly string[], by: string): string {
  return edits
    .map((edit, line) => {
      if (edit === 'drop') return '';
      if (edit === 'change') return `line ${line} of ${by}\n`;
      return edit === 'insert' ? `line ${line}\nafter ${line} of ${by}\n` : `line ${line}\n`;
    })
    .join('');
}

it('merges texts as git does', async () => {
  const folder = await tempFolder();
  const base = edited(Array(8).fill('keep') as string[], '');
  fc.assert(
    fc.property(editsArb, editsArb, (one, other) => {
      const sides = { base, theirs: edited(one, 'one'), ours: edited(other, 'other') };
      for (const [name, text] of Object.entries(sides)) writeFileSync(join(folder, name), text);
      const args = ['merge-file', '-p', '--diff3', 'ours', 'base', 'theirs'];
      const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
      const merged = mergeText({
        base: Buffer.from(base),
        theirs: Buffer.from(sides.theirs),
        ours: Buffer.from(sides.ours),
      });
      expect(merged?.toString()).toBe(status === 0 ? stdout : undefined);
    }),
    { numRuns: 150 },
  );
});

it('keeps every byte of a text', () => {
  const base = Buffer.from([0xff, 0x0a, 0x80, 0x0d, 0x0a, 0xe4, 0x0a, 0x31]);
  const theirs = Buffer.concat([Buffer.from([0xfe]), base.subarray(1)]);
  const ours = Buffer.concat([base, Buffer.from([0x32])]);
  expect(mergeText({ base, theirs, ours })).toEqual(Buffer.concat([theirs, Buffer.from([0x32])]));
});

const PATHS = ['a', 'A', 'b', 'b/c', 'b/d', 'B/c', 'é', 'e\u0301', 'x/y/z', 'x/y', 'con', 'k.bin'];
const changeArb = fc.record({
  path: fc.constantFrom(...PATHS),
  edits: fc.option(editsArb),
  isExecutable: fc.boolean(),
  isBinary: fc.boolean(),
});

type Change = typeof changeArb extends fc.Arbitrary<infer T> ? T : never;

/** What a run could have done: its own tree is always possible. */
function toChanges(base: Tree, changes: readonly Change[], by: string): Changes {
  const tree = editTree(base);
  const result = new Map<string, ProjectEntry | undefined>();
  for (const { path, edits, isExecutable, isBinary } of changes) {
    const entry = edits ? fileOf(`${isBinary ? '\0' : ''}${edited(edits, by)}`, isExecutable) : undefined;
    if (entry && tree.findClash(path, entry) !== undefined) continue;
    if (entry) tree.put(path, entry);
    else tree.remove(path);
    if (entry || base.has(path) || result.has(path)) result.set(path, entry);
  }
  return result;
}

it('every path of two and three runs has what the rule says, and nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(changeArb, { maxLength: 8 }),
      fc.array(fc.array(changeArb, { maxLength: 8 }), { minLength: 2, maxLength: 3 }),
      async (first, runs) => {
        const base = applyChanges(
          new Map(),
          (
            await mergeChanges(
              { base: new Map(), theirs: new Map(), ours: toChanges(new Map(), first, 'base') },
              readContent,
            )
          ).changes,
        );
        let head: Tree = base;
        for (const [index, run] of runs.entries()) {
          const ours = toChanges(base, run, `run ${index}`);
          const merge = await mergeChanges({ base, theirs: head, ours }, readContent);
          for (const [sha256, content] of merge.contents) contents.set(sha256, content);
          const next = applyChanges(head, merge.changes);
          expect(next).toEqual(merge.tree);
          const conflicts = new Map(merge.conflicts.map((conflict) => [conflict.path, conflict]));
          for (const path of new Set([...head.keys(), ...ours.keys()]))
            explain(path, { base, head, ours, next, conflict: conflicts.get(path) });
          requirePossible(next);
          head = next;
        }
      },
    ),
    { numRuns: 300 },
  );
});

interface Sides {
  readonly base: Tree;
  readonly head: Tree;
  readonly ours: Changes;
  readonly next: Tree;
  readonly conflict: { readonly ours: ProjectEntry | undefined } | undefined;
}

function explain(path: string, { base, head, ours, next, conflict }: Sides): void {
  const [from, theirs, mine, now] = [base.get(path), head.get(path), ours.get(path), next.get(path)];
  if (conflict) {
    // The project keeps its side, and the store has the other one.
    expect([now, conflict.ours]).toEqual([theirs, mine]);
    return;
  }
  if (!ours.has(path) || same(mine, from)) return void expect(now).toEqual(theirs);
  if (same(theirs, from)) return void expect(now).toEqual(mine);
  if (same(mine, theirs)) return void expect(now).toEqual(mine);
  // Both sides changed it: every line that a side added is there, and every line that a side removed is not.
  if (!now || !theirs || !mine) throw new Error(`${path} was changed on both sides`);
  const lines = (entry: ProjectEntry | undefined) => new Set(entry ? textOf(entry).split('\n') : []);
  for (const side of [theirs, mine]) {
    for (const line of lines(side)) if (!lines(from).has(line)) expect(lines(now)).toContain(line);
    for (const line of lines(from)) if (!lines(side).has(line)) expect(lines(now)).not.toContain(line);
  }
  const bits = [theirs, mine].map((side) => side.isExecutable);
  expect(now.isExecutable).toBe(
    bits.find((bit) => bit !== from?.isExecutable) ?? (bits[0] === bits[1] ? bits[0] : undefined),
  );
}

function same(one: ProjectEntry | undefined, other: ProjectEntry | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Every file system can hold it. */
function requirePossible(tree: Tree): void {
  const built = editTree(new Map());
  for (const [path, entry] of tree) {
    expect([path, pathDanger(path), built.findClash(path, entry)]).toEqual([path, undefined, undefined]);
    built.put(path, entry);
  }
}

it.each([
  '',
  '/a',
  '../a',
  'a/../b',
  'a//b',
  './a',
  'a/.',
  'a\0b',
  'a\\b',
  '.git/config',
  'x/.GIT/hooks/y',
  'nul',
  'a. ',
  'a/b.',
  '\ud800',
  'x'.repeat(256),
  'd/'.repeat(600).concat('x'),
  'a\nb',
])('refuses the path %j', (path) => {
  expect(pathDanger(path)).toBeTypeOf('string');
});

it('git is there for these tests', () => {
  expect(execFileSync('git', ['--version'], { encoding: 'utf8' })).toContain('git');
});
