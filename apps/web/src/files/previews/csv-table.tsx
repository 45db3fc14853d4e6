/**
 * A CSV as a table with a sticky header row. Virtualized; column widths stay the same while scrolling.
 */
import { Table2 } from 'lucide-react';
import { type CSSProperties, type ReactNode, type Ref, useMemo, useRef } from 'react';
import { Virtualizer } from 'virtua';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { type CsvRows, parseCsv } from './parse-csv.ts';

const MAX_COLUMNS = 100;
const MAX_CELL_CHARS = 400;

export function CsvTable({ name, text }: { readonly name: string; readonly text: string }) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const table = useMemo(() => parseCsv(text, name), [text, name]);
  const widths = useMemo(() => widthsOf(table), [table]);
  const [head, ...rows] = table.rows;
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
              <Cells cells={head} number={1} count={widths.length} isHead />
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
            {rows.map((cells, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its index
              <Cells key={index} cells={cells} number={index + 2} count={widths.length} />
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

interface CellsProps {
  readonly cells: readonly string[];
  /** Row number from 1, including the header. */
  readonly number: number;
  readonly count: number;
  readonly isHead?: boolean;
}

function Cells({ cells, number, count, isHead = false }: CellsProps) {
  const Cell = isHead ? 'th' : 'td';
  return (
    <>
      <td className="truncate border-e border-b bg-canvas px-2 py-1 text-end text-xs leading-5 text-ink-faint tabular-nums select-none">
        {formatNumber(number)}
      </td>
      {Array.from({ length: count }, (_, column) => {
        const text = toShownLine((cells[column] ?? '').slice(0, MAX_CELL_CHARS));
        return (
          <Cell
            // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its index
            key={column}
            title={text.length > 24 ? text : undefined}
            className={classNames(
              'truncate border-e border-b px-2 py-1 text-start leading-5',
              isHead && 'font-semibold',
              !isHead && isNumber(text) && 'text-end! tabular-nums',
            )}
          >
            {text}
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
