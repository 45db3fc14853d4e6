/**
 * Runs the chosen menu item after the menu has closed and restored the focus, so that a dialog opened by it returns the focus to
 * the right element.
 */
import { useRef } from 'react';

export function useChosenItem() {
  const chosen = useRef<() => void>(undefined);
  return {
    choose: (act: () => void): void => {
      chosen.current = act;
    },
    onClosed: (): void => {
      const act = chosen.current;
      chosen.current = undefined;
      if (act) setTimeout(act);
    },
  };
}
