/**
 * Restores the focus after an overlay closes. Radix does this only for overlays that its own triggers opened.
 */
import { useRef } from 'react';

export function useReturnFocus(isOpen: boolean): (event: Event) => void {
  const before = useRef<Element | null>(null);
  const wasOpen = useRef(false);
  // During the first render the focus has not moved yet.
  if (isOpen && !wasOpen.current) before.current = document.activeElement;
  wasOpen.current = isOpen;
  return (event) => {
    event.preventDefault();
    if (before.current instanceof HTMLElement) before.current.focus();
  };
}
