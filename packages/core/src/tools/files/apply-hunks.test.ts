import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.ts';
import { applyEdit } from './apply-edits.ts';
import { applyHunks, type Hunk } from './apply-hunks.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

/** Few distinct lines, so that hunks match at several positions. */
const files = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }), fc.boolean())
  .map(([lines, isOpen]) => {
    const text = lines.map((line) => `${line}\n`).join('');
    return isOpen && !text.endsWith('\n\n') && text !== '\n' ? text.replace(/\n$/, '') : text;
  });

const wildHunks = fc
  .record({
    oldStart: fc.oneof(fc.nat(14), fc.constant(9_007_199_254_740)),
    newStart: fc.oneof(fc.nat(14), fc.constant(9_007_199_254_740)),
    lines: fc.array(
      fc
        .tuple(fc.constantFrom(' ', '-', '+'), fc.constantFrom('a', 'b', 'c', ''))
        .map(([sign, line]) => sign + line),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .filter(({ lines }) => lines.some((line) => !line.startsWith(' ')));

/** Correct hunks, and hunks with the mistakes of a careless author. */
const hunkLists = fc
  .record({
    before: files,
    after: files,
    context: fc.nat(3),
    shift: fc.integer({ min: -3, max: 3 }),
    isReversed: fc.boolean(),
    isTwice: fc.boolean(),
  })
  .map(({ before, after, context, shift, isReversed, isTwice }) => {
    const { hunks } = structuredPatch('f', 'f', before, after, '', '', { context });
    const moved = hunks.map(({ oldStart, newStart, lines }) => ({
      oldStart: Math.max(0, oldStart + shift),
      newStart: Math.max(0, newStart + shift),
      lines,
    }));
    const ordered = isReversed ? moved.reverse() : moved;
    return { before, hunks: isTwice ? [...ordered, ...ordered] : ordered };
  });

const cases: fc.Arbitrary<{ before: string; hunks: readonly Hunk[] }> = fc.oneof(
  hunkLists,
  fc.record({ before: files, hunks: fc.array(wildHunks, { minLength: 1, maxLength: 3 }) }),
);

function toDiff(hunks: readonly Hunk[]): string {
  const bodies = hunks.map(({ oldStart, newStart, lines }) => {
    const count = (signs: string): number => lines.filter((line) => signs.includes(line[0] ?? ' ')).length;
    return `@@ -${oldStart},${count(' -')} +${newStart},${count(' +')} @@\n${lines.map((line) => `${line}\n`).join('')}`;
  });
  return `diff --git a/f b/f\n--- a/f\n+++ b/f\n${bodies.join('')}`;
}

describe('applyHunks', () => {
  it.skipIf(!hasGit)('[T41] applies or rejects hunks exactly as git does', async () => {
    const cwd = await tempFolder();
    const file = join(cwd, 'f');
    const withGit = (before: string, hunks: readonly Hunk[]): string | undefined => {
      writeFileSync(file, before);
      const { status } = spawnSync('git', ['apply', '--whitespace=nowarn', '-'], {
        cwd,
        input: toDiff(hunks),
        env: { ...process.env, GIT_CEILING_DIRECTORIES: cwd, GIT_CONFIG_NOSYSTEM: '1', HOME: cwd },
      });
      return status === 0 ? readFileSync(file, 'utf8') : undefined;
    };
    fc.assert(
      fc.property(cases, ({ before, hunks }) => {
        fc.pre(hunks.length > 0);
        const ours = applyHunks(before, hunks);
        expect(ours.ok ? ours.text : undefined).toBe(withGit(before, hunks));
      }),
    );
  });

  const TWELVE = Array.from({ length: 12 }, (_, index) => `line ${index + 1}\n`).join('');
  const diffOf = (...hunks: readonly Hunk[]): string => toDiff(hunks).split('\n').slice(3).join('\n');

  it.each([
    ['far after the end', { oldStart: 500, newStart: 500, lines: ['+new'] }, `${TWELVE}new\n`],
    [
      'with a line number beyond all lines',
      { oldStart: 9_007_199_254_740, newStart: 1, lines: ['-line 3', '+x'] },
      undefined,
    ],
    [
      'with lines that are not there',
      { oldStart: 3, newStart: 3, lines: [' line 2', '-gone', ' line 4'] },
      undefined,
    ],
  ] as const)('[T41] applies a hunk %s at its position or rejects it', async (_, hunk, expected) => {
    const edited = await applyEdit(TWELVE, { operation: 'diff', diff: diffOf(hunk) }, 10_000);
    expect(edited.ok ? edited.text : undefined).toBe(expected);
    if (!edited.ok) expect(edited.reason).toContain(`(at line ${hunk.oldStart})`);
  });

  it('[T41] does not apply a hunk twice', async () => {
    const hunk = { oldStart: 2, newStart: 2, lines: [' line 2', '+new', ' line 3'] };
    const diff = diffOf(hunk, hunk);
    expect(await applyEdit(TWELVE, { operation: 'diff', diff }, 10_000)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('hunk 2 of 2') as string,
    });
  });

  it('[T42] rejects too many hunks for a long file at once', async () => {
    const text = 'same\n'.repeat(400_000);
    const hunks = Array.from({ length: 1_000 }, (_, index) => ({
      oldStart: index * 3 + 2,
      newStart: index * 3 + 2,
      lines: [' same', '-same', ' other'],
    }));
    expect(await applyEdit(text, { operation: 'diff', diff: diffOf(...hunks) }, 4_000_000)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('too many hunks') as string,
    });
  });

  it('[T42] rejects a replacement that would exceed the limit before making it', async () => {
    let text = 'ab';
    const edit = { operation: 'replace', find: 'a', replace: 'aa', all: true } as const;
    let refusal: string | undefined;
    for (let tries = 0; tries < 40 && refusal === undefined; tries++) {
      const edited = await applyEdit(text, edit, 1_000_000);
      if (edited.ok) text = edited.text;
      else refusal = edited.reason;
    }
    expect(refusal).toContain('longer than the limit of 1000000 characters');
    expect(text.length).toBeLessThanOrEqual(1_000_000);
  });
});
