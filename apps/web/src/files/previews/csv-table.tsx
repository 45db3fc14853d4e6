/**
 * A CSV as a table with a sticky header row; its columns can be sorted, and each row keeps the number it has in the file.
 * Virtualized; column widths stay the same while scrolling.
 */
import { Table2 } from 'lucide-react';
import { type CSSProperties, type ReactNode, type Ref, useMemo, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { SortButton } from '../../ui/tables/sort-button.tsx';
import { compareCells, type Sorting, toNextSorting } from '../../ui/tables/sort-cells.ts';
import { type CsvRows, parseCsv } from './parse-csv.ts';

const MAX_COLUMNS = 100;
const MAX_CELL_CHARS = 400;

export function CsvTable({ name, text }: { readonly name: string; readonly text: string }) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const table = useMemo(() => parseCsv(text, name), [text, name]);
  const widths = useMemo(() => widthsOf(table), [table]);
  const [sorting, setSorting] = useState<Sorting>();
  const [head, ...rows] = table.rows;
  const numbers = useMemo(() => toOrder(table.rows, sorting), [table, sorting]);
  if (!head) return <EmptyState icon={<Table2 />} title={t('files.table.empty')} />;
  const columns = ['4rem', ...widths.map((width) => `${width}ch`)].join(' ');
  return (
    <div className="flex h-full flex-col">
      <section
        ref={scroller}
        aria-label={t('files.table.label', { name: toShownLine(name) })}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
        tabIndex={0}
        className="min-h-0 grow overflow-auto text-sm -outline-offset-2 [overflow-anchor:none]"
      >
        <table
          aria-rowcount={table.rows.length}
          aria-colcount={table.columns}
          style={{ '--columns': columns } as CSSProperties}
          className="block w-max min-w-full"
        >
          <thead className="sticky top-0 z-10 block bg-canvas">
            <Line>
              <Cells
                cells={head}
                number={1}
                count={widths.length}
                sorting={sorting}
                onSort={(column) => setSorting(toNextSorting(sorting, column))}
              />
            </Line>
          </thead>
          <Virtualizer
            as="tbody"
            item={Line}
            scrollRef={scroller}
            itemSize={28}
            startMargin={28}
            bufferSize={400}
          >
            {numbers.map((number) => (
              <Cells key={number} cells={rows[number - 2] ?? []} number={number} count={widths.length} />
            ))}
          </Virtualizer>
        </table>
      </section>
      <p className="shrink-0 border-t px-3 py-1.5 text-xs text-ink-faint tabular-nums">
        {t('files.table.size', { rows: formatNumber(rows.length), columns: formatNumber(table.columns) })}
        {table.columns > MAX_COLUMNS
          ? ` · ${t('files.table.cut', { shown: formatNumber(MAX_COLUMNS) })}`
          : ''}
      </p>
    </div>
  );
}

interface LineProps {
  readonly children: ReactNode;
  readonly style?: CSSProperties;
  /** From 0, below the header. */
  readonly index?: number;
  readonly ref?: Ref<HTMLTableRowElement>;
}

function Line({ children, style, index = -1, ref }: LineProps) {
  return (
    <tr
      ref={ref}
      style={style}
      aria-rowindex={index + 2}
      className="grid h-7 min-w-full grid-cols-(--columns)"
    >
      {children}
    </tr>
  );
}

/** Numbers of the rows below the header, in the order they are shown. */
function toOrder([, ...rows]: CsvRows['rows'], sorting: Sorting | undefined): readonly number[] {
  const numbers = rows.map((_, index) => index + 2);
  if (!sorting) return numbers;
  const { column, order } = sorting;
  const cellOf = (number: number): string => rows[number - 2]?.[column] ?? '';
  return numbers.sort((one, other) => compareCells(cellOf(one), cellOf(other), order));
}

interface CellsProps {
  readonly cells: readonly string[];
  /** Row number from 1, including the header. */
  readonly number: number;
  readonly count: number;
  /** Only for the header: how the rows are sorted now. */
  readonly sorting?: Sorting | undefined;
  readonly onSort?: (column: number) => void;
}

function Cells({ cells, number, count, sorting, onSort }: CellsProps) {
  const isHead = onSort !== undefined;
  const Cell = isHead ? 'th' : 'td';
  return (
    <>
      <td className="truncate border-e border-b bg-canvas px-2 py-1 text-end text-xs leading-5 text-ink-faint tabular-nums select-none">
        {formatNumber(number)}
      </td>
      {Array.from({ length: count }, (_, column) => {
        const text = toShownLine((cells[column] ?? '').slice(0, MAX_CELL_CHARS));
        const order = sorting?.column === column ? sorting.order : 'none';
        return (
          <Cell
            // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its index
            key={column}
            title={text.length > 24 ? text : undefined}
            aria-sort={isHead ? order : undefined}
            className={classNames(
              'truncate border-e border-b px-2 py-1 text-start leading-5',
              isHead && 'font-semibold',
              !isHead && isNumber(text) && 'text-end! tabular-nums',
            )}
          >
            {onSort ? (
              <SortButton order={order} onToggle={() => onSort(column)}>
                {text}
              </SortButton>
            ) : (
              text
            )}
          </Cell>
        );
      })}
    </>
  );
}

function isNumber(text: string): boolean {
  return text !== '' && /^[+-]?[\d.,\u00a0 ]+%?$/.test(text);
}

/** Measured on the first rows, so that widths do not depend on the scroll position. */
function widthsOf({ rows, columns }: CsvRows): readonly number[] {
  const sample = rows.slice(0, 200);
  return Array.from({ length: Math.min(columns, MAX_COLUMNS) }, (_, column) => {
    const longest = sample.reduce((most, cells) => Math.max(most, widthOf(cells[column] ?? '')), 0);
    return Math.min(Math.max(longest, 6), 40) + 4;
  });
}

/** Chinese characters count twice. */
function widthOf(text: string): number {
  return [...text.slice(0, 60)].reduce((sum, sign) => sum + (/[\u1100-\uffff]/.test(sign) ? 2 : 1), 0);
}
