/**
 * Gives the focus back where it was when something opened over the page. Radix only knows how to for what its own triggers
 * opened.
 */
import { useRef } from 'react';

export function useReturnFocus(isOpen: boolean): (event: Event) => void {
  const before = useRef<Element | null>(null);
  const wasOpen = useRef(false);
  // While it is drawn for the first time the focus is still where it was.
  if (isOpen && !wasOpen.current) before.current = document.activeElement;
  wasOpen.current = isOpen;
  return (event) => {
    event.preventDefault();
    if (before.current instanceof HTMLElement) before.current.focus();
  };
}
