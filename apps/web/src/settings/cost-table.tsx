/** Costs as a table with a bar per row: the same for everybody. Bars show dollars, or tokens while no price is known. */
import type { CostSum } from '@crewagent/protocol/costs';
import { useId } from 'react';
import { formatCost, formatNumber } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { toShownLine } from '../ui/sanitize-text.ts';

interface CostRow extends CostSum {
  readonly name: string;
  /** Default: the name. */
  readonly key?: string;
  /** Below the name. */
  readonly note?: string | undefined;
  readonly onOpen?: () => void;
}

interface CostTableProps {
  readonly title: string;
  /** Heading of the first column. */
  readonly head: string;
  readonly rows: readonly CostRow[];
  /** The cost limit of a run: a line across the bars. */
  readonly limit?: number | undefined;
}

export function CostTable({ title, head, rows, limit }: CostTableProps) {
  const { t } = useTranslation();
  const titleId = useId();
  const isPriced = rows.some(({ costUsd }) => costUsd > 0);
  const sizeOf = (row: CostRow): number => (isPriced ? row.costUsd : tokensOf(row));
  const line = isPriced ? limit : undefined;
  const largest = Math.max(...rows.map(sizeOf), line ?? 0) || 1;
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className="mb-1.5 font-semibold">
        {title}
      </h3>
      <table aria-labelledby={titleId} className="w-full table-fixed border-collapse text-sm tabular-nums">
        <thead>
          <tr className="border-b text-ink-faint *:px-2 *:py-1.5 *:font-medium *:whitespace-nowrap">
            <th scope="col" className="w-56 text-start max-sm:w-auto">
              {head}
            </th>
            <th scope="col" className="text-start max-sm:hidden">
              {line === undefined ? t('costs.share') : t('costs.shareWithLimit', { limit: formatCost(line) })}
            </th>
            <th scope="col" className="w-24 text-end">
              {t('costs.tokens')}
            </th>
            <th scope="col" className="w-36 text-end max-sm:w-28">
              {t('costs.cost')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key ?? row.name} className="border-b *:px-2 *:py-1.5">
              <th scope="row" className="text-start font-medium">
                <RowName row={row} />
              </th>
              <td className="max-sm:hidden">
                <Bar share={sizeOf(row) / largest} limit={line === undefined ? undefined : line / largest} />
              </td>
              <td className="text-end whitespace-nowrap text-ink-soft">{formatNumber(tokensOf(row))}</td>
              <td className="text-end whitespace-nowrap text-ink-soft">
                <CostAmount cost={row} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function RowName({ row: { name, note, onOpen } }: { readonly row: CostRow }) {
  const shown = toShownLine(name);
  return (
    <>
      {onOpen ? (
        <button
          type="button"
          title={shown}
          onClick={onOpen}
          className="block max-w-full truncate rounded-sm text-start text-accent-text hover:underline"
        >
          {shown}
        </button>
      ) : (
        <span title={shown} className="block truncate">
          {shown}
        </span>
      )}
      {note === undefined ? undefined : (
        <span className="block text-xs font-normal text-ink-faint wrap-anywhere">{note}</span>
      )}
    </>
  );
}

function Bar({ share, limit }: { readonly share: number; readonly limit: number | undefined }) {
  const isOver = limit !== undefined && share > limit;
  return (
    <span aria-hidden="true" className="relative block h-3">
      <span
        style={{ width: `${share * 100}%` }}
        className={`block h-full min-w-0.5 rounded-sm ${isOver ? 'bg-warn' : 'bg-accent'}`}
      />
      {limit === undefined ? undefined : (
        <span
          style={{ insetInlineStart: `${limit * 100}%` }}
          className="absolute -inset-y-1 border-e-2 border-ink"
        />
      )}
    </span>
  );
}

/** Dollars, and whether some of it has no known price: that is never shown as 0. */
export function CostAmount({ cost: { costUsd, unpricedTokens, requests } }: { readonly cost: CostSum }) {
  const { t } = useTranslation();
  if (requests === 0) return '–';
  if (unpricedTokens === 0) return formatCost(costUsd);
  return costUsd > 0 ? t('costs.partlyUnknown', { cost: formatCost(costUsd) }) : t('usage.priceUnknown');
}

function tokensOf({ promptTokens, completionTokens }: CostSum): number {
  return promptTokens + completionTokens;
}
