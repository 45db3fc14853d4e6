/**
 * Diffs as models write them, generated: line numbers off by a few, wrong or missing counts, no context, lost blanks,
 * spaces for tabs, code fences. Files have many equal lines, so that a diff may fit at several places. Each diff comes
 * with the result its author meant, and with whether somebody who only sees file and diff could know it.
 */
export interface ModelDiff {
  readonly before: string;
  readonly diff: string;
  readonly meant: string;
  /** The lines fit at several places, and the diff does not name one of them exactly. */
  readonly isAmbiguous: boolean;
  readonly hunks: readonly WrittenHunk[];
}

/** For rules that tests compare with. */
export interface WrittenHunk {
  /** Index of the first old line as the diff has it, and where it is meant. */
  readonly named: number;
  readonly place: number;
  readonly old: readonly string[];
  readonly next: readonly string[];
}

export function* modelDiffs(count: number, seed: number): Generator<ModelDiff> {
  const random = createRandom(seed);
  for (let made = 0; made < count; ) {
    const diff = makeDiff(random);
    if (!diff) continue;
    made++;
    yield diff;
  }
}

type Random = (below: number) => number;

function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) % below;
  };
}

const EQUAL_LINES = ['}', '  }', '', '', '    return;', '- item', '  },', '---', '  return;', 'end'];

/** Indented with blanks or with tabs throughout. */
function makeFile(random: Random): string[] {
  const size = 4 + random(40);
  const usesTabs = random(3) === 0;
  return Array.from({ length: size }, (_, line) => {
    const kind = random(10);
    const indent = '  '.repeat(random(4));
    const text =
      kind < 4
        ? (EQUAL_LINES[random(EQUAL_LINES.length)] ?? '')
        : `${indent}${kind < 8 ? `const value${line} = compute(${random(90)});` : `call(${random(4)});`}`;
    const styled = usesTabs ? text.replace(/^(?: {2})+/, (blanks) => '\t'.repeat(blanks.length / 2)) : text;
    return kind >= 4 && random(12) === 0 ? `${styled}  ` : styled;
  });
}

interface Edit {
  readonly start: number;
  readonly removed: number;
  readonly added: readonly string[];
}

/** Edits that do not touch each other, in order. */
function makeEdits(random: Random, lines: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  const wanted = random(4) === 0 ? 2 + random(2) : 1;
  for (
    let at = random(Math.max(1, lines.length - 2));
    edits.length < wanted && at < lines.length;
    at += 8 + random(10)
  ) {
    const removed = Math.min([1, 1, 1, 2, 3, 0][random(6)] ?? 1, lines.length - at);
    const addedCount = removed === 0 ? 1 + random(2) : random(4) === 0 ? 0 : 1 + random(2);
    const indent = /^\s*/.exec(lines[at] ?? '')?.[0] ?? '';
    edits.push({
      start: at,
      removed,
      added: Array.from({ length: addedCount }, (_, n) => `${indent}changed(${at}, ${n});`),
    });
  }
  return edits;
}

type Mistakes = ReturnType<typeof makeMistakes>;

function makeMistakes(random: Random) {
  return {
    context: [0, 0, 1, 2, 3][random(5)] ?? 0,
    trimsBlanks: random(4) === 0,
    dropsBlankSigns: random(3) === 0,
    untabs: random(6) === 0,
    /** As correct, wrong, missing, or no numbers at all. */
    header:
      (['correct', 'correct', 'wrong-counts', 'no-counts', 'no-counts', 'no-numbers'] as const)[random(6)] ??
      'correct',
    isOff: random(2) === 0,
  };
}

interface DraftHunk extends WrittenHunk {
  readonly text: string;
  readonly isAmbiguous: boolean;
}

function makeDiff(random: Random): ModelDiff | undefined {
  const lines = makeFile(random);
  const edits = makeEdits(random, lines);
  const mistakes = makeMistakes(random);
  let shift = 0;
  const hunks = edits.map((edit) => {
    const hunk = writeHunk(random, lines, edit, { mistakes, shift });
    shift += edit.added.length - edit.removed;
    return hunk;
  });
  // The author's own lines are not what is tested.
  if (hunks.some(({ old, next }) => old.join('\n') === next.join('\n'))) return undefined;
  const eol = random(5) === 0 ? '\r\n' : '\n';
  const end = random(6) === 0 ? '' : eol;
  const toText = (content: readonly string[]): string =>
    content.length === 0 ? '' : content.join(eol) + end;
  const isAtEnd = edits.some(({ start, removed }) => start + removed >= lines.length);
  // Whether the last line keeps its missing line ending is tested elsewhere.
  if (end === '' && isAtEnd) return undefined;
  const ordered = hunks.length > 1 && random(4) === 0 ? hunks.toReversed() : hunks;
  const isAmbiguous = hunks.some((hunk) => hunk.isAmbiguous);
  const body = ordered.map(({ text }) => text).join('');
  return {
    before: toText(lines),
    diff: wrap(random, body),
    meant: toText(applyAll(lines, edits)),
    isAmbiguous,
    hunks,
  };
}

function writeHunk(
  random: Random,
  lines: readonly string[],
  { start, removed, added }: Edit,
  { mistakes, shift }: { readonly mistakes: Mistakes; readonly shift: number },
): DraftHunk {
  const place = Math.max(0, start - mistakes.context);
  const end = Math.min(lines.length, start + removed + mistakes.context);
  const written = (line: string): string => {
    const untabbed = mistakes.untabs ? line.replace(/^\t+/, (tabs) => '    '.repeat(tabs.length)) : line;
    return mistakes.trimsBlanks ? untabbed.trimEnd() : untabbed;
  };
  const context = (from: number, to: number): string[] =>
    lines.slice(from, to).map((line) => {
      const text = written(line);
      return text === '' && mistakes.dropsBlankSigns && to < end ? '' : ` ${text}`;
    });
  const body = [
    ...context(place, start),
    ...lines.slice(start, start + removed).map((line) => `-${written(line)}`),
    // Where no other line shows how the author writes a tab, nobody could know that it was one.
    ...added.map((line) => `+${hasIndent(lines.slice(place, end), line) ? written(line) : line}`),
    ...context(start + removed, end),
  ];
  const old = lines.slice(place, end).map(written);
  const next = [...lines.slice(place, start), ...added, ...lines.slice(start + removed, end)];
  const off = mistakes.isOff && old.length > 0 ? ([-3, -2, -1, 1, 2, 3, 7][random(7)] ?? 0) : 0;
  // A diff that is exact about another place means that place.
  const isOther = standsAt(lines, old, place + off, (line) => line.trimEnd());
  const named = off === 0 || isOther || place + off < 0 ? place : place + off;
  const { header } = mistakes;
  const counts = { old: old.length, next: next.length };
  const wrong =
    header === 'wrong-counts'
      ? { old: counts.old + 1 + random(3), next: Math.max(0, counts.next - 1) }
      : counts;
  const number = (at: number, count: number) =>
    `${count === 0 ? at : at + 1}${header === 'no-counts' ? '' : `,${count}`}`;
  const head =
    header === 'no-numbers'
      ? '@@ @@'
      : `@@ -${number(named, old.length === 0 ? 0 : wrong.old)} +${named + 1 + shift}${header === 'no-counts' ? '' : `,${wrong.next}`} @@`;
  const isNamed = header !== 'no-numbers';
  return {
    named: isNamed ? named : Number.NaN,
    place,
    old,
    next,
    text: `${head}\n${body.join('\n')}\n`,
    isAmbiguous: isAmbiguous(lines, old, { named: isNamed ? named : undefined, place, header }),
  };
}

function hasIndent(lines: readonly string[], line: string): boolean {
  return lines.some((other) => other.trim() !== '' && /^\s*/.exec(other)?.[0] === /^\s*/.exec(line)?.[0]);
}

/** Decided by brute force, from file and diff alone. */
function isAmbiguous(
  lines: readonly string[],
  old: readonly string[],
  { named, place, header }: { named: number | undefined; place: number; header: Mistakes['header'] },
): boolean {
  if (old.length === 0) return header === 'no-counts' || header === 'no-numbers';
  const placesBy = (key: (line: string) => string): number[] =>
    lines.flatMap((_, at) => (standsAt(lines, old, at, key) ? [at] : []));
  for (const key of [(line: string) => line, (line: string) => line.trimEnd(), collapse]) {
    const places = placesBy(key);
    if (named !== undefined && places.includes(named) && (key !== collapse || places.length === 1))
      return named !== place;
    if (places.length > 0)
      return places.length > 1 || (named !== undefined && standsAt(lines, old, named, collapse));
  }
  return true;
}

export function standsAt(
  lines: readonly string[],
  old: readonly string[],
  at: number,
  key: (line: string) => string,
): boolean {
  return (
    at >= 0 &&
    at + old.length <= lines.length &&
    old.every((line, index) => key(lines[at + index] ?? '') === key(line))
  );
}

export function collapse(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

function applyAll(lines: readonly string[], edits: readonly Edit[]): string[] {
  const next = [...lines];
  for (const { start, removed, added } of edits.toReversed()) next.splice(start, removed, ...added);
  return next;
}

function wrap(random: Random, body: string): string {
  switch (random(5)) {
    case 0:
      return `--- a/src/file.ts\n+++ b/src/file.ts\n${body}`;
    case 1:
      return `diff --git a/file b/file\nindex 83db48f..bf2a1c3 100644\n--- a/file\n+++ b/file\n${body}`;
    case 2:
      return `\`\`\`diff\n${body}\`\`\`\n`;
    case 3:
      return `--- file\n+++ file\n${body.replace(/\n$/, '')}`;
    default:
      return body;
  }
}
