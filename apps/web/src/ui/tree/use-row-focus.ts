/** Moves the keyboard focus to a row of a tree, also to one that is not mounted yet. */
import { type Ref, type RefObject, useEffect, useImperativeHandle, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { Row } from './tree-rows.ts';

export interface TreeHandle {
  /** Waits for the row to be mounted. */
  readonly focus: (id: string) => void;
}

interface RowFocusOptions {
  readonly rows: readonly Row[];
  readonly scroller: RefObject<HTMLElement | null>;
  readonly handle: Ref<TreeHandle> | undefined;
  readonly onFocus: (id: string) => void;
}

export function useRowFocus({ rows, scroller, handle, onFocus }: RowFocusOptions) {
  const list = useRef<VirtualizerHandle>(null);
  const wanted = useRef<string>(undefined);

  const tryFocus = (id: string): boolean => {
    const element = scroller.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
    element?.focus();
    return element !== null && element !== undefined && document.activeElement === element;
  };
  const focusId = (id: string): void => {
    onFocus(id);
    wanted.current = tryFocus(id) ? undefined : id;
  };

  // The row is mounted by one of the next renders.
  useEffect(() => {
    const id = wanted.current;
    const index = id === undefined ? -1 : rows.findIndex(({ node }) => node.id === id);
    if (id === undefined || index < 0) return;
    list.current?.scrollToIndex(index, { align: 'nearest' });
    let left = 10;
    let frame = requestAnimationFrame(function again() {
      if (tryFocus(id) || --left === 0) wanted.current = undefined;
      else frame = requestAnimationFrame(again);
    });
    return () => cancelAnimationFrame(frame);
  });

  useImperativeHandle(handle, () => ({ focus: focusId }));
  return { list, focusRow: (row: Row | undefined): void => row && focusId(row.node.id) };
}
