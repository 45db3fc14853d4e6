/**
 * What was chosen from a menu is done when the menu is gone and the keyboard is back where it was: a dialog that opens then
 * knows where to give it back to.
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
