import { describe, expect, it } from 'vitest';
import { collapse, type ModelDiff, modelDiffs, standsAt } from '../../testing/model-diffs.ts';
import { applyEdits } from './apply-edits.ts';
import { parseDiff } from './parse-diff.ts';

const CORPUS = [...modelDiffs(10_000, 20_261_117)];

/** The text after a diff, or why it was rejected. */
type Rule = (diff: ModelDiff) => { readonly text: string } | { readonly reason: string };

const ours: Rule = ({ before, diff }) => {
  const [file] = parseDiff(diff);
  if (!file) return { reason: 'no diff' };
  const edited = applyEdits(Buffer.from(before), [{ operation: 'diff', hunks: file.hunks }], 1e6);
  return edited.ok ? { text: Buffer.from(edited.bytes).toString() } : { reason: edited.reason };
};

/** What tools usually do: the nearest place where the lines stand, ignoring white space. */
const nearest: Rule = ({ before, hunks }) => {
  const eol = before.includes('\r\n') ? '\r\n' : '\n';
  const lines = before.split(eol);
  const patched = [...lines];
  for (const { named, old, next } of hunks.toReversed()) {
    const from = Number.isNaN(named) ? 0 : named;
    const [place] = lines
      .flatMap((_, at) => (standsAt(lines, old, at, collapse) ? [at] : []))
      .sort((one, other) => Math.abs(one - from) - Math.abs(other - from));
    if (place === undefined) return { reason: 'not found' };
    patched.splice(place, old.length, ...next);
  }
  return { text: patched.join(eol) };
};

function judge(rule: Rule) {
  const counts = { clear: 0, applied: 0, ambiguous: 0, misplaced: 0 };
  const reasons: string[] = [];
  for (const diff of CORPUS) {
    const result = rule(diff);
    counts[diff.isAmbiguous ? 'ambiguous' : 'clear']++;
    if ('reason' in result) {
      if (diff.isAmbiguous) reasons.push(result.reason);
      continue;
    }
    if (result.text !== diff.meant) counts.misplaced++;
    else if (!diff.isAmbiguous) counts.applied++;
  }
  return { ...counts, reasons };
}

describe('10,000 diffs as models write them', () => {
  it('[T190] are applied where they are meant, or rejected with the places that are possible', () => {
    const { clear, applied, ambiguous, misplaced, reasons } = judge(ours);
    console.log(
      `${applied} of ${clear} clear diffs applied, ${reasons.length} of ${ambiguous} ambiguous ones rejected, ${misplaced} misplaced`,
    );
    expect(misplaced).toBe(0);
    expect(clear).toBeGreaterThan(7_000);
    expect(applied / clear).toBeGreaterThan(0.95);
    expect(ambiguous).toBeGreaterThan(500);
    expect(
      reasons.filter((reason) => !/several places: lines \d|\n\d+\| |not in the file/.test(reason)),
    ).toEqual([]);
  });

  it('[T190] are a test that the nearest place does not pass', () => {
    expect(judge(nearest).misplaced).toBeGreaterThan(200);
  });
});
