/**
 * Escape closes only the element that contains the focus. A sheet around it listens on the document, so the event is marked as
 * handled.
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
