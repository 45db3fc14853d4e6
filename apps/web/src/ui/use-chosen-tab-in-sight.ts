/** Of a row of tabs that scrolls, the chosen one is in sight: also after another was chosen, or there is less room. */
import { type RefObject, useEffect, useRef } from 'react';

export function useChosenTabInSight<Row extends HTMLElement>(chosenId: string): RefObject<Row | null> {
  const row = useRef<Row>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each that is chosen
  useEffect(() => {
    const element = row.current;
    if (!element) return undefined;
    const show = (): void =>
      element.querySelector('[data-state="active"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    // Tells also how wide it is now.
    const observer = new ResizeObserver(show);
    observer.observe(element);
    return () => observer.disconnect();
  }, [chosenId]);
  return row;
}
