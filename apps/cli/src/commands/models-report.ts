/** `crewagent models report`: how models behaved in the runs of this store. */
import { CrewError, readLedger } from '@crewagent/core';
import { type LedgerRow, perNode } from '@crewagent/protocol/ledger';
import { openRuntime } from '../open-runtime.ts';
import { toTable } from '../print/table.ts';
import { cellsOf } from '../print/text/cells.ts';
import { say } from '../print/texts/say.ts';
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
  const params = { package: sanitize(name ?? '', 200), since: sanitize(since ?? '', 40) };
  if (name === undefined) return say(since === undefined ? 'ledger.none' : 'ledger.noneSince', params);
  return say(since === undefined ? 'ledger.noneOf' : 'ledger.noneOfSince', params);
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
] as const;
const WIDEST = [26, 22, ...HEADS.slice(2).map(() => 12)];

function toLines(rows: readonly LedgerRow[]): string[] {
  const [heads = [], ...cells] = alignNumbers([
    HEADS.map((head) => say(`ledger.${head}`)),
    ...rows.map(toCells),
  ]);
  const table = toTable(
    [
      { cells: heads, styles: [] },
      ...cells.map((row, index) => ({ cells: row, styles: toStyles(rows[index]) })),
    ],
    WIDEST,
  );
  const legend = say('ledger.legend').split('\n');
  return [...table, '', ...legend.map((line) => style('dim', line))];
}

function toCells(row: LedgerRow): string[] {
  const { turns, tokens, costUsd } = perNode(row) ?? {};
  return [
    sanitize(row.model, 200),
    sanitize(row.package, 200),
    say('ledger.provedOf', { proved: row.runsProved, runs: row.runs }),
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
  const widths = HEADS.map((_, column) => Math.max(...rows.map((row) => cellsOf(row[column] ?? ''))));
  return rows.map((row) =>
    row.map((cell, column) =>
      column < 2 ? cell : `${' '.repeat((widths[column] ?? 0) - cellsOf(cell))}${cell}`,
    ),
  );
}
