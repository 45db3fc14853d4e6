/** `crewagent models report`: how models behaved in the runs of this store. */
import { CrewError, readLedger } from '@crewagent/core';
import { type LedgerRow, perNode } from '@crewagent/protocol/ledger';
import { openRuntime } from '../open-runtime.ts';
import { toTable } from '../print/table.ts';
import { print, type Style, sanitize, style } from '../terminal.ts';

export interface ModelsReportOptions {
  readonly package?: string;
  readonly since?: string;
  readonly json?: true;
}

export async function reportModels(options: ModelsReportOptions): Promise<void> {
  const since = options.since === undefined ? undefined : parseDate(options.since);
  const rows = await readLedger(openRuntime().store, { package: options.package, since });
  if (options.json) print(JSON.stringify(rows));
  else if (rows.length === 0) print(toEmptySentence(options));
  else for (const line of toLines(rows)) print(line);
}

/** The start of that day here, or an exact time. */
function parseDate(text: string): Date {
  const date = /^\d{4}-\d\d-\d\d(?:T.+)?$/.test(text)
    ? new Date(text.includes('T') ? text : `${text}T00:00:00`)
    : undefined;
  if (!date || Number.isNaN(date.getTime()))
    throw new CrewError('USAGE', `"${text}" is not a date; give one such as 2026-01-31.`);
  return date;
}

function toEmptySentence({ package: name, since }: ModelsReportOptions): string {
  const of = name === undefined ? '' : ` of "${sanitize(name, 200)}"`;
  const when = since === undefined ? 'yet' : `since ${sanitize(since, 40)}`;
  return `No model has worked on a run${of} ${when}. Rehearsals are not counted.`;
}

const HEADS = [
  'model',
  'package',
  'proved',
  'refused',
  'incomplete',
  'unheard',
  'invalid',
  'loops',
  'wasted',
  'turns',
  'tokens',
  'cost',
];
const WIDEST = [26, 22, ...HEADS.slice(2).map(() => 12)];

function toLines(rows: readonly LedgerRow[]): string[] {
  const [heads = [], ...cells] = alignNumbers([HEADS, ...rows.map(toCells)]);
  const table = toTable(
    [
      { cells: heads, styles: [] },
      ...cells.map((row, index) => ({ cells: row, styles: toStyles(rows[index]) })),
    ],
    WIDEST,
  );
  return [...table, '', ...LEGEND.map((line) => style('dim', line))];
}

const LEGEND = [
  'proved: runs that are complete and proved, of all. refused: moves that the graph does not have. incomplete: outputs',
  'that were missing. unheard: a person was not asked. invalid: calls of no tool or with wrong arguments. wasted: turns',
  'whose calls all failed. turns, tokens, cost: of one proved step.',
];

function toCells(row: LedgerRow): string[] {
  const { turns, tokens, costUsd } = perNode(row) ?? {};
  return [
    sanitize(row.model, 200),
    sanitize(row.package, 200),
    `${row.runsProved} of ${row.runs}`,
    ...[row.movesRefused, row.outputsIncomplete, row.personNotHeard, row.invalidCalls, row.loops].map(String),
    `${Math.round((100 * row.wastedTurns) / row.turns)}%`,
    turns?.toFixed(1) ?? '–',
    tokens === undefined ? '–' : Math.round(tokens).toLocaleString('en-US'),
    costUsd === undefined ? '–' : `$${costUsd.toFixed(4)}`,
  ];
}

/** What a model did wrong stands out. */
function toStyles(row: LedgerRow | undefined): Style[] {
  if (!row) return [];
  const slips = [row.movesRefused, row.outputsIncomplete, row.personNotHeard, row.invalidCalls, row.loops];
  return [
    'bold',
    'cyan',
    row.runsProved === row.runs ? 'green' : 'yellow',
    ...[...slips, row.wastedTurns].map((count) => (count === 0 ? 'dim' : 'yellow')),
  ];
}

/** To the right, except for the two columns of names. */
function alignNumbers(rows: readonly (readonly string[])[]): string[][] {
  const widths = HEADS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row.map((cell, column) => (column < 2 ? cell : cell.padStart(widths[column] ?? 0))),
  );
}
