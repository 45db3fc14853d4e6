/** Tokens and costs as a table with a bar per row. */
import { type ReactNode, useId } from 'react';
import { formatNumber, formatPercent } from '../../i18n/format.ts';

export interface AmountRow {
  readonly key: string;
  readonly name: string;
  /** Below the name. */
  readonly note?: string | undefined;
  readonly depth?: number;
  readonly onOpen?: (() => void) | undefined;
  readonly tokens: number;
  readonly cost: ReactNode;
  /** Length of the bar, compared with the others. */
  readonly size: number;
}

interface AmountTableProps {
  readonly title: string;
  /** Only for screen readers. */
  readonly isTitleHidden?: boolean;
  readonly heads: Readonly<Record<'name' | 'share' | 'tokens' | 'cost', string>>;
  readonly rows: readonly AmountRow[];
  /** A line across the bars. */
  readonly limit?: number | undefined;
  /** Bars are shown as parts of it, in percent. */
  readonly whole?: number | undefined;
}

export function AmountTable({ title, isTitleHidden = false, heads, rows, limit, whole }: AmountTableProps) {
  const titleId = useId();
  const largest = Math.max(...rows.map(({ size }) => size), limit ?? 0) || 1;
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className={isTitleHidden ? 'sr-only' : 'mb-1.5 font-semibold'}>
        {title}
      </h3>
      <table aria-labelledby={titleId} className="w-full table-fixed border-collapse text-sm tabular-nums">
        <thead>
          <tr className="border-b text-ink-faint *:px-2 *:py-1.5 *:font-medium *:whitespace-nowrap">
            <th scope="col" className="w-56 text-start max-sm:w-auto">
              {heads.name}
            </th>
            <th scope="col" className="text-start max-sm:hidden">
              {heads.share}
            </th>
            <th scope="col" className="w-24 text-end">
              {heads.tokens}
            </th>
            <th scope="col" className="w-36 text-end max-sm:w-28">
              {heads.cost}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} className="border-b *:px-2 *:py-1.5">
              <th
                scope="row"
                style={row.depth ? { paddingInlineStart: `${0.5 + Math.min(row.depth, 4)}rem` } : undefined}
                className="text-start font-medium"
              >
                <RowName row={row} />
              </th>
              <td className="max-sm:hidden">
                <span className="flex items-center gap-2">
                  <Bar share={row.size / largest} limit={limit === undefined ? undefined : limit / largest} />
                  {whole === undefined ? undefined : (
                    <span className="w-10 shrink-0 text-end text-xs text-ink-faint">
                      {formatPercent(row.size / whole)}
                    </span>
                  )}
                </span>
              </td>
              <td className="text-end whitespace-nowrap text-ink-soft">{formatNumber(row.tokens)}</td>
              <td className="text-end whitespace-nowrap text-ink-soft">{row.cost}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function RowName({ row: { name, note, onOpen } }: { readonly row: AmountRow }) {
  return (
    <>
      {onOpen ? (
        <button
          type="button"
          title={name}
          onClick={onOpen}
          className="block max-w-full truncate rounded-sm text-start text-accent-text hover:underline"
        >
          {name}
        </button>
      ) : (
        <span title={name} className="block truncate">
          {name}
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
    <span aria-hidden="true" className="relative block h-3 grow">
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
