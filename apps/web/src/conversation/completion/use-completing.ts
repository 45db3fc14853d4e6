/** Completion at the cursor: finds the query before it, and inserts the choice. */
import { type KeyboardEvent, type RefObject, useState } from 'react';
import { type CompletionQuery, complete, findCompletion } from './completion.ts';
import { useChoosing } from './use-choosing.ts';
import { type CompletionSources, useCompletions } from './use-completions.ts';

interface CompletingOptions extends CompletionSources {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  /** Sets the text and the cursor. */
  readonly onPut: (next: { readonly text: string; readonly cursor: number }) => void;
}

export interface Completing {
  readonly kind: CompletionQuery['kind'];
  readonly choices: readonly string[];
  /** Whether they match the current text. */
  readonly areCurrent: boolean;
  readonly active: number;
  readonly isOpen: boolean;
  /** Updates the query from the text before the cursor. */
  readonly look: () => void;
  readonly close: () => void;
  readonly choose: (choice: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

export function useCompleting({ area, onPut, ...sources }: CompletingOptions): Completing {
  const [query, setQuery] = useState<CompletionQuery>();
  const { choices, areCurrent } = useCompletions(query, sources);
  const close = (): void => setQuery(undefined);
  const choose = (choice: string): void => {
    if (!query || !area.current) return;
    close();
    onPut(complete(area.current.value, query, choice));
  };
  const { active, restart, onKeyDown } = useChoosing({
    choices,
    areCurrent,
    onChoose: choose,
    onLeave: close,
  });
  const look = (): void => {
    if (!area.current) return;
    const { value, selectionStart, selectionEnd } = area.current;
    setQuery(selectionStart === selectionEnd ? findCompletion(value, selectionStart) : undefined);
    restart();
  };
  return {
    kind: query?.kind ?? 'command',
    choices,
    areCurrent,
    active,
    isOpen: choices.length > 0,
    look,
    close,
    choose,
    onKeyDown,
  };
}
