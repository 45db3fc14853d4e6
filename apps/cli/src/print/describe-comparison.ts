/** Formats a comparison of runs as a table that fits the terminal: a column per run, a row per thing that may differ. */
import {
  COMPARED_PARTS,
  type ComparedPart,
  type ComparedRow,
  type ComparedRun,
  type Comparison,
} from '@crewagent/protocol/compare';
import { toGrouped } from '@crewagent/protocol/story/describe-item';
import { type Styler, sanitize } from '../terminal.ts';
import { describeDuration, describePhase, shortId } from './describe-work.ts';
import { cellsOf, fit } from './text/cells.ts';
import { say } from './texts/say.ts';

interface TableOptions {
  /** Of the terminal, in cells. */
  readonly width: number;
  /** Also rows that are the same. */
  readonly withSame: boolean;
}

interface Columns {
  readonly name: number;
  readonly value: number;
  readonly styler: Styler;
}

const [NARROWEST, WIDEST_NAME] = [10, 26];
/** The mark of a row, and the gap before each value. */
const [MARK, GAP] = [2, 2];

export function describeComparison(
  { runs, rows, partsAt }: Comparison,
  { width, withSame }: TableOptions,
  styler: Styler,
): string[] {
  const names = [...rows.map(nameOf), ...HEAD.map(({ key }) => say(`compare.${key}`))];
  const widest = Math.max(...names.map(cellsOf), NARROWEST);
  const name = Math.min(widest, WIDEST_NAME, Math.floor(width / (runs.length + 1)));
  const value = Math.max(NARROWEST, Math.floor((width - MARK - name) / runs.length) - GAP);
  const columns = { name, value, styler };
  return [
    ...HEAD.map(({ key, of }) =>
      toLine({ name: say(`compare.${key}`), values: runs.map(of) }, columns, '  '),
    ),
    ...COMPARED_PARTS.flatMap((part) => describePart(part, rows, { columns, withSame, partsAt })),
  ];
}

const HEAD: readonly { readonly key: 'run' | 'forked' | 'model' | 'phase'; of(run: ComparedRun): string }[] =
  [
    { key: 'run', of: ({ workId }) => shortId(workId) },
    {
      key: 'forked',
      of: ({ forkedFrom, forkedAt }) =>
        forkedFrom ? `${shortId(forkedFrom.workId)} @ ${sanitize(forkedAt ?? forkedFrom.nodeId, 60)}` : '–',
    },
    { key: 'model', of: ({ model }) => sanitize(model, 80) },
    { key: 'phase', of: ({ phase, reason }) => describePhase(phase, reason).label },
  ];

function describePart(
  part: ComparedPart,
  all: readonly ComparedRow[],
  { columns, withSame, partsAt }: { columns: Columns; withSame: boolean; partsAt: number | undefined },
): string[] {
  const rows = all.filter((row) => row.part === part);
  if (rows.length === 0) return [];
  const { styler } = columns;
  // The result is short, and tells more as a whole.
  const shown = withSame || part === 'result' ? rows : rows.filter(({ isSame }) => !isSame);
  const hidden = rows.length - shown.length;
  const parts = part === 'path' && partsAt !== undefined ? say('compare.parts', { step: partsAt + 1 }) : '';
  return [
    '',
    `${styler('bold', say(`compare.part.${part}`))}${parts === '' ? '' : styler('dim', `  ${parts}`)}`,
    ...shown.map((row) => {
      const line = { name: nameOf(row), values: valuesOf(row).map((value) => toText(row, value)) };
      return toLine(line, columns, row.isSame ? '  ' : styler('yellow', '≠ '), row.isSame);
    }),
    ...(hidden > 0 ? [`  ${styler('dim', say('compare.sameRows', { count: hidden }))}`] : []),
  ];
}

function toLine(
  { name, values }: { readonly name: string; readonly values: readonly string[] },
  { name: nameCells, value, styler }: Columns,
  mark: string,
  isDim = false,
): string {
  const cells = values.map((text) => fit(text, value)).map((text) => (isDim ? styler('dim', text) : text));
  return `${mark}${styler('dim', fit(name, nameCells))}${cells.map((cell) => `  ${cell}`).join('')}`.trimEnd();
}

/** With titles of steps where there are any. */
function valuesOf({ titles, values }: ComparedRow): ComparedRow['values'] {
  return titles ?? values;
}

function nameOf({ part, key, title = key }: ComparedRow): string {
  if (part === 'path') return String(Number(key) + 1);
  if (part === 'result') return say(`compare.result.${key as 'turns'}`);
  return sanitize(title, 200);
}

const HASH_SHOWN = 8;

function toText({ part, key }: ComparedRow, value: string | number | null): string {
  if (value === null) return '–';
  if (part === 'files') return value === '' ? say('compare.deleted') : String(value).slice(0, HASH_SHOWN);
  if (part === 'checks') return toCheck(String(value));
  if (typeof value === 'string') return sanitize(value.replace(/\s+/g, ' '), 200);
  if (key === 'costUsd') return `$${value.toFixed(value < 1 ? 4 : 2)}`;
  return key === 'ms' ? describeDuration(value) : toGrouped(value);
}

/** The outcome of a visit, and what it lacks. */
function toCheck(value: string): string {
  const [outcome = '', ...missing] = value.split(': ');
  return [say(`bundle.outcome.${outcome as 'proved'}`), ...missing]
    .map((text) => sanitize(text, 200))
    .join(': ');
}
