/** Brings the keyboard to a row of a tree, also to one that is not on the page yet. */
import { type Ref, type RefObject, useEffect, useImperativeHandle, useRef } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { Row } from './tree-rows.ts';

export interface TreeHandle {
  /** Waits for the row if it is not there yet. */
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

  // What is wanted comes into being with one of the next pictures.
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
