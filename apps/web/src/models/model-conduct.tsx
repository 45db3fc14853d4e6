/** How models behaved in the runs so far: a row per model and package, best first. */
import '../i18n/settings-texts.ts';
import { type LedgerRow, perNode } from '@crewagent/protocol/ledger';
import { useId } from 'react';
import { useModelReport } from '../api/settings-queries.ts';
import { formatCompact, formatCost, formatNumber, formatPercent } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classNames } from '../ui/class-names.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';

export function ModelConduct() {
  const { t } = useTranslation();
  const titleId = useId();
  const { data: rows, error } = useModelReport();
  return (
    <div className="flex flex-col gap-3">
      <div>
        <h3 id={titleId} className="font-semibold">
          {t('conduct.title')}
        </h3>
        <p className="mt-0.5 text-sm text-ink-soft">{t('conduct.text')}</p>
      </div>
      <ErrorNote issue={error} />
      {rows === undefined && !error ? <Skeleton className="h-20" /> : undefined}
      {rows?.length === 0 ? <p className="text-sm text-ink-faint">{t('conduct.empty')}</p> : undefined}
      {rows && rows.length > 0 ? <ConductTable rows={rows} titleId={titleId} /> : undefined}
    </div>
  );
}

const COLUMNS = [
  'runsProved',
  'movesRefused',
  'outputsIncomplete',
  'personNotHeard',
  'invalidCalls',
  'loops',
  'wastedTurns',
  'turnsPerStep',
  'tokensPerStep',
  'costPerStep',
] as const;

function ConductTable({ rows, titleId }: { readonly rows: readonly LedgerRow[]; readonly titleId: string }) {
  const { t } = useTranslation();
  return (
    <section
      aria-labelledby={titleId}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-lg border text-sm"
    >
      <table className="w-full border-collapse">
        <thead className="bg-surface text-xs text-ink-soft">
          <tr>
            <th scope="col" className="px-3 py-2 text-start align-bottom font-medium">
              {t('conduct.columns.model')}
            </th>
            {COLUMNS.map((name) => (
              <th key={name} scope="col" className="px-2 py-2 text-end align-bottom font-medium">
                {t(`conduct.columns.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <ConductRow key={JSON.stringify([row.model, row.package])} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function ConductRow({ row }: { readonly row: LedgerRow }) {
  const { t } = useTranslation();
  const { turns, tokens, costUsd } = perNode(row) ?? {};
  const cells: Record<(typeof COLUMNS)[number], readonly [text: string, ink: string]> = {
    runsProved: [
      t('conduct.runs', { proved: row.runsProved, count: row.runs }),
      row.runsProved === row.runs ? 'text-ok' : 'text-warn',
    ],
    movesRefused: toCount(row.movesRefused),
    outputsIncomplete: toCount(row.outputsIncomplete),
    personNotHeard: toCount(row.personNotHeard),
    invalidCalls: toCount(row.invalidCalls),
    loops: toCount(row.loops),
    wastedTurns: [formatPercent(row.wastedTurns / row.turns), inkOf(row.wastedTurns)],
    turnsPerStep: [turns === undefined ? '–' : formatCompact(turns), 'text-ink-soft'],
    tokensPerStep: [tokens === undefined ? '–' : formatCompact(tokens), 'text-ink-soft'],
    costPerStep: [costUsd === undefined ? '–' : formatCost(costUsd), 'text-ink-soft'],
  };
  return (
    <tr className="border-t">
      <th scope="row" className="min-w-36 px-3 py-2 text-start font-normal">
        <span className="block font-medium wrap-anywhere">{toShownLine(row.model)}</span>
        <span className="block text-xs wrap-anywhere text-ink-soft">{toShownLine(row.package)}</span>
      </th>
      {COLUMNS.map((name) => {
        const [text, ink] = cells[name];
        return (
          <td key={name} className={classNames('px-2 py-2 text-end whitespace-nowrap tabular-nums', ink)}>
            {text}
          </td>
        );
      })}
    </tr>
  );
}

function toCount(count: number): readonly [string, string] {
  return [formatNumber(count), inkOf(count)];
}

/** What went wrong stands out. */
function inkOf(count: number): string {
  return count === 0 ? 'text-ink-faint' : 'text-warn';
}
