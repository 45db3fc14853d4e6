/** A table of a text. Its columns can be sorted: ascending, descending, and back to the order of the author. */
import type { Tokens } from 'marked';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { SortButton } from '../tables/sort-button.tsx';
import { compareCells, type Sorting, toNextSorting } from '../tables/sort-cells.ts';

interface TableProps {
  readonly token: Tokens.Table;
  readonly renderCell: (cell: Tokens.TableCell) => ReactNode;
}

export function Table({ token: { header, rows }, renderCell }: TableProps) {
  const { t } = useTranslation();
  const [sorting, setSorting] = useState<Sorting>();
  const sorted = useMemo(() => sortRows(rows, sorting), [rows, sorting]);
  const canSort = rows.length > 1;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
    <section className="table-frame" tabIndex={0} aria-label={t('text.table')}>
      <table>
        <thead>
          <tr>
            {header.map((cell, column) => {
              const order = sorting?.column === column ? sorting.order : 'none';
              return (
                <th
                  // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its index
                  key={column}
                  style={alignOf(cell)}
                  aria-sort={canSort ? order : undefined}
                >
                  {canSort ? (
                    <SortButton
                      order={order}
                      isEnd={cell.align === 'right'}
                      onToggle={() => setSorting(toNextSorting(sorting, column))}
                    >
                      {renderCell(cell)}
                    </SortButton>
                  ) : (
                    renderCell(cell)
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {sorted.map((cells, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
            <tr key={index}>
              {cells.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a column is identified by its index
                <td key={column} style={alignOf(cell)}>
                  {renderCell(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function alignOf({ align }: Tokens.TableCell) {
  return align ? { textAlign: align } : undefined;
}

function sortRows(rows: readonly Tokens.TableCell[][], sorting: Sorting | undefined) {
  if (!sorting) return rows;
  const { column, order } = sorting;
  return rows.toSorted((one, other) =>
    compareCells(one[column]?.text ?? '', other[column]?.text ?? '', order),
  );
}
