/**
 * Escape closes the part of the page the keyboard is in, and nothing around it: a sheet that holds it listens on the document
 * and is told that the key was meant for somebody else.
 */
import { type RefObject, useEffect, useRef } from 'react';

export function useCloseWithEscape(part: RefObject<HTMLElement | null>, close: () => void): void {
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
      if (!part.current?.contains(document.activeElement)) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', press, { capture: true });
    return () => removeEventListener('keydown', press, { capture: true });
  }, [part]);
}
