/** The order of cells in a sorted column: numbers by value, texts by the alphabet of the page; empty cells last. Pure. */

export type SortOrder = 'none' | 'ascending' | 'descending';

export const NEXT_ORDER: Readonly<Record<SortOrder, SortOrder>> = {
  none: 'ascending',
  ascending: 'descending',
  descending: 'none',
};

export interface Sorting {
  readonly column: number;
  readonly order: SortOrder;
}

/** After the head of a column was pressed; undefined for the order of the author. */
export function toNextSorting(sorting: Sorting | undefined, column: number): Sorting | undefined {
  const order = NEXT_ORDER[sorting?.column === column ? sorting.order : 'none'];
  return order === 'none' ? undefined : { column, order };
}

export function compareCells(one: string, other: string, order: SortOrder): number {
  const [a, b] = [toPlain(one), toPlain(other)];
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  const [first, second] = [toAmount(a), toAmount(b)];
  const compared =
    first && second && first.unit === second.unit ? first.value - second.value : COLLATOR.compare(a, b);
  return order === 'descending' ? -compared : compared;
}

/** Without the marks of emphasis and code. */
function toPlain(text: string): string {
  return text.replace(/[*_`~]/g, '').trim();
}

/** `1,234.5`, `−3 %`, `$20`, `300 ms`; undefined for anything else. */
function toAmount(text: string): { readonly value: number; readonly unit: string } | undefined {
  const [, sign = '', currency = '', digits, unit = ''] = AMOUNT.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits.replace(/[,\u00a0\u202f ]/g, ''));
  return { value: sign === '-' || sign === '−' ? -value : value, unit: currency + unit };
}

const AMOUNT =
  /^([+\-−]?)\s*([$€£¥]?)\s*(\d{1,3}(?:[,\u00a0\u202f ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*([%€$£¥]|\p{L}{0,4})$/u;

const COLLATOR = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
