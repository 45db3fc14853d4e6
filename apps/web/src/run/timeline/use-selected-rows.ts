/**
 * Rows of the virtualized timeline that stay mounted because they are selected: the selection would lose its beginning, and a copy
 * its text.
 */
import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { ShownRow } from './rows/shown-rows.ts';

/** More rows than this are not kept for a selection. */
const MAX_SELECTED = 500;

/** The indexes of the rows that the selection of the page covers. */
export function useSelectedRows(
  rows: readonly ShownRow[],
  scroller: RefObject<HTMLElement | null>,
): readonly number[] {
  const [[anchor, focus], setEnds] = useState<SelectionEnds>(NO_SELECTION);
  useEffect(() => {
    const onChange = (): void => setEnds((before) => toEnds(before, scroller.current));
    document.addEventListener('selectionchange', onChange);
    return () => document.removeEventListener('selectionchange', onChange);
  }, [scroller]);
  return useMemo(() => {
    if (anchor === undefined) return [];
    const ends = [anchor, focus ?? anchor].map((key) => rows.findIndex((row) => row.key === key));
    const [first = -1, last = -1] = ends.sort((a, b) => a - b);
    if (first < 0 || last - first > MAX_SELECTED) return [];
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  }, [rows, anchor, focus]);
}

/** Keys of the rows in which the selection begins and ends. */
type SelectionEnds = readonly [anchor: string | undefined, focus: string | undefined];

const NO_SELECTION: SelectionEnds = [undefined, undefined];

function toEnds(before: SelectionEnds, scroller: HTMLElement | null): SelectionEnds {
  const selection = getSelection();
  if (!selection || selection.isCollapsed) return NO_SELECTION;
  const anchor = rowKeyOf(selection.anchorNode, scroller);
  if (anchor === undefined) return NO_SELECTION;
  // The pointer may be outside the timeline while it is scrolled.
  const focus = rowKeyOf(selection.focusNode, scroller) ?? (anchor === before[0] ? before[1] : undefined);
  return anchor === before[0] && focus === before[1] ? before : [anchor, focus];
}

function rowKeyOf(node: Node | null, scroller: HTMLElement | null): string | undefined {
  if (!node || !scroller?.contains(node)) return undefined;
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest<HTMLElement>('[data-key]')?.dataset.key;
}
