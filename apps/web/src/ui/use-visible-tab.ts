/** Keeps the active tab of a scrolling tab list visible, also after a resize. */
import { type RefObject, useEffect, useRef } from 'react';

export function useVisibleTab<Row extends HTMLElement>(chosenId: string): RefObject<Row | null> {
  const row = useRef<Row>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the active tab changes
  useEffect(() => {
    const element = row.current;
    if (!element) return undefined;
    const show = (): void =>
      element.querySelector('[data-state="active"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    // The observer also fires with the initial width.
    const observer = new ResizeObserver(show);
    observer.observe(element);
    return () => observer.disconnect();
  }, [chosenId]);
  return row;
}
