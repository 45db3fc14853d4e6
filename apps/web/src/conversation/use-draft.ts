/** What is being written, kept for this tab under a name: a reload and a look elsewhere take nothing away. */
import { useCallback, useState } from 'react';

export function useDraft(name: string | undefined): readonly [string, (text: string) => void] {
  const key = name === undefined ? undefined : `crewagent.draft.${name}`;
  const [text, setText] = useState(() => (key === undefined ? '' : readKept(key)));
  const change = useCallback(
    (next: string): void => {
      setText(next);
      if (key !== undefined) keep(key, next);
    },
    [key],
  );
  return [text, change];
}

function readKept(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** A browser may forbid it, or have no room: then it is not kept. */
function keep(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // Nothing is lost but the keeping.
  }
}
