/** `crewagent team status`, `costs` and `quota`: what operators of a team ask its database. */
import { CrewError } from '@crewagent/core';
import type { CostReport } from '@crewagent/protocol/api/costs';
import type { ShownQuota } from '@crewagent/protocol/api/quotas';
import type { CostSum } from '@crewagent/protocol/costs';
import { toTable } from '../print/table.ts';
import { cellsOf } from '../print/text/cells.ts';
import { say } from '../print/texts/say.ts';
import { print, type Style, sanitize, style } from '../terminal.ts';
import { type DatabaseOption, loadTeam, requireDatabase } from './team.ts';

export async function showStatus(options: DatabaseOption): Promise<void> {
  const { readTeamStatus } = await loadTeam();
  const { workers, queued, unserved } = await readTeamStatus(requireDatabase(options));
  if (workers.length === 0) print(say('team.noWorker'));
  for (const { workerId, host, version, slots, busy, labels, isLost, isDraining } of workers) {
    const status = isLost ? style('red', say('team.lost')) : say(isDraining ? 'team.draining' : 'team.ready');
    const facts = [say('team.slots', { busy, slots }), `v${version}`, ...labels, status];
    print(`${style('bold', sanitize(host))} ${style('dim', sanitize(workerId))}: ${facts.join(', ')}`);
  }
  print(say('team.queued', { queued }));
  for (const { labels, works } of unserved)
    print(
      style('yellow', say('team.unserved', { labels: labels.map((it) => sanitize(it)).join(', '), works })),
    );
}

const KINDS = { person: 'people', project: 'projects', model: 'models', day: 'days' } as const;

export interface CostsOptions extends DatabaseOption {
  readonly by: keyof typeof KINDS;
  readonly since?: Date;
  readonly json?: true;
}

const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;
const MAX_DAYS = 366;

export async function showCosts({ by, since, json, ...options }: CostsOptions): Promise<void> {
  const { readCostsOf } = await loadTeam();
  const days = since ? Math.floor((Date.now() - since.getTime()) / DAY_MS) + 1 : USUAL_DAYS;
  if (days < 1 || days > MAX_DAYS)
    throw new CrewError('USAGE', `Give a day of the last ${MAX_DAYS} days, and none that is still to come.`);
  const utcOffset = -new Date().getTimezoneOffset();
  const report = await readCostsOf(requireDatabase(options), { days, utcOffset });
  const rows = report[KINDS[by]] ?? [];
  if (json) print(JSON.stringify({ days, total: report.total, [KINDS[by]]: rows }));
  else if (rows.length === 0) {
    const first = new Date(Date.now() - (days - 1) * DAY_MS + utcOffset * 60_000);
    print(say('team.noCosts', { since: first.toISOString().slice(0, 10) }));
  } else for (const line of toCostLines(by, rows, report.total)) print(line);
}

type CostRow = NonNullable<CostReport['people']>[number] | CostReport['days'][number];

function toCostLines(by: CostsOptions['by'], rows: readonly CostRow[], total: CostSum): string[] {
  const heads = [say(`team.${by}`), say('team.requests'), say('team.tokens'), say('team.cost')];
  const cells = rows.map((row) => toCells(toName(by, row), row));
  return toNumbers([heads, ...cells, toCells(say('team.total'), total)], ['bold']);
}

/** Of somebody or something that is gone, only the costs are known. */
function toName(by: CostsOptions['by'], row: CostRow): string {
  if (row.name !== '') return sanitize(row.name, 200);
  return say(by === 'person' && 'id' in row && row.id === '' ? 'team.nobody' : 'team.deleted');
}

function toCells(name: string, { requests, promptTokens, completionTokens, ...rest }: CostSum): string[] {
  return [name, ...[requests, promptTokens + completionTokens].map(toCount), toCost(rest)];
}

const toCount = (count: number): string => count.toLocaleString('en');
const toUsd = (costUsd: number): string => `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`;

function toCost({ costUsd, unpricedTokens }: Pick<CostSum, 'costUsd' | 'unpricedTokens'>): string {
  if (unpricedTokens === 0) return toUsd(costUsd);
  return costUsd > 0 ? say('team.partly', { cost: toUsd(costUsd) }) : say('team.unknown');
}

/** All columns but the first are aligned to the right. */
function toNumbers(rows: readonly (readonly string[])[], styles: readonly Style[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => cellsOf(row[column] ?? ''))),
  );
  const aligned = rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell : `${' '.repeat((widths[column] ?? 0) - cellsOf(cell))}${cell}`,
    ),
  );
  return toTable(
    aligned.map((cells, at) => ({ cells, styles: at === 0 ? [] : styles })),
    widths.map((width, column) => (column === 0 ? Math.min(width, 40) : width)),
  );
}

export interface QuotaOptions extends DatabaseOption {
  readonly person?: string;
  readonly project?: string;
  readonly default?: true;
  readonly tokens?: number;
  readonly cost?: number;
  readonly per: 'day' | 'month';
  readonly remove?: true;
  readonly json?: true;
}

export async function changeQuota(options: QuotaOptions): Promise<void> {
  const { listQuotas, setQuota } = await loadTeam();
  const { person, project, tokens, cost: costUsd, per: period, remove, json } = options;
  const subjects = [person, project, options.default].filter((subject) => subject !== undefined).length;
  const hasLimits = tokens !== undefined || costUsd !== undefined;
  if (subjects > 1) throw new CrewError('USAGE', 'Give one of --person, --project and --default.');
  if (subjects === 0 ? hasLimits || remove : hasLimits === (remove === true))
    throw new CrewError(
      'USAGE',
      'Give --person, --project or --default with --tokens or --cost, or with --remove.',
    );
  const url = requireDatabase(options);
  const limits = remove ? undefined : { period, tokens, costUsd };
  const quotas = subjects === 0 ? await listQuotas(url) : await setQuota(url, { person, project }, limits);
  if (json) print(JSON.stringify(quotas));
  else if (quotas.length === 0) print(say('team.noQuota'));
  else for (const line of toQuotaLines(quotas)) print(line);
}

function toQuotaLines(quotas: readonly ShownQuota[]): string[] {
  const rows = quotas.map(({ kind, name, period, used, ...limits }) => {
    const limit = toAmounts(limits);
    return [
      kind === 'default' ? say('team.everybody') : `${say(`team.${kind}`)} ${sanitize(name, 200)}`,
      say(period === 'day' ? 'team.perDay' : 'team.perMonth', { limit }),
      used ? toAmounts({ tokens: used.tokens, costUsd: used.costUsd }) : '',
    ];
  });
  const unpriced = quotas.reduce(
    (sum, { costUsd, used }) => sum + (costUsd === undefined ? 0 : (used?.unpricedTokens ?? 0)),
    0,
  );
  return [
    ...toNumbers([['', say('team.limit'), say('team.used')], ...rows], ['bold']),
    ...(unpriced > 0 ? [style('yellow', say('team.unpriced', { count: toCount(unpriced) }))] : []),
  ];
}

function toAmounts({ tokens, costUsd }: Pick<ShownQuota, 'tokens' | 'costUsd'>): string {
  return [
    ...(tokens === undefined ? [] : [say('team.amount', { count: toCount(tokens) })]),
    ...(costUsd === undefined ? [] : [toUsd(costUsd)]),
  ].join(', ');
}
