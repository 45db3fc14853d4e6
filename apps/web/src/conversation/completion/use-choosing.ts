/** Keyboard selection of an option while the focus stays in the text: arrow keys move, Enter and Tab accept, Escape closes. */
import { type KeyboardEvent, useState } from 'react';
import { isComposing } from '../../ui/forms/input.tsx';

interface ChoosingOptions {
  /** Empty while closed. */
  readonly choices: readonly string[];
  /** Options are accepted only if this is true. */
  readonly areCurrent: boolean;
  readonly onChoose: (choice: string) => void;
  readonly onLeave: () => void;
}

export interface Choosing {
  readonly active: number;
  /** Selects the first option again. */
  readonly restart: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

export function useChoosing({ choices, areCurrent, onChoose, onLeave }: ChoosingOptions): Choosing {
  const [moved, setMoved] = useState(0);
  const { length } = choices;
  const active = Math.min(moved, length - 1);
  const take = (): void => {
    const choice = choices[active];
    if (areCurrent && choice !== undefined) onChoose(choice);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (length === 0 || isComposing(event)) return;
    const act: Record<string, () => void> = {
      ArrowDown: () => setMoved((active + 1) % length),
      ArrowUp: () => setMoved((active + length - 1) % length),
      Enter: take,
      Tab: take,
      Escape: onLeave,
    };
    const action = event.shiftKey ? undefined : act[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  return { active, restart: () => setMoved(0), onKeyDown };
}
