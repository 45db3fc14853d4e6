import { useEffect, useState } from 'react';

/** Time in which a further letter may be typed. */
const TYPING_MS = 200;

/** The text, once it is not being changed. */
export function useSettled(text: string, first = '', typingMs = TYPING_MS): string {
  const [settled, setSettled] = useState(first);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs);
    return () => clearTimeout(timer);
  }, [text, typingMs]);
  return settled;
}
