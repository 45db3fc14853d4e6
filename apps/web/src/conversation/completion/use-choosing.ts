/** One of some choices with the keyboard, while the cursor stays in the text: arrow keys move, Enter and Tab take, Escape leaves. */
import { type KeyboardEvent, useState } from 'react';
import { isComposing } from '../../ui/forms/is-composing.ts';

interface ChoosingOptions {
  /** None while it is closed. */
  readonly choices: readonly string[];
  /** Only then one is taken; before, nothing happens. */
  readonly areCurrent: boolean;
  readonly onChoose: (choice: string) => void;
  readonly onLeave: () => void;
}

export interface Choosing {
  readonly active: number;
  /** From the first one on again. */
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
