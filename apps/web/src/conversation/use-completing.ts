/** Completing at the cursor with the keyboard alone: arrow keys move, Enter and Tab take, Escape leaves. */
import { type KeyboardEvent, type RefObject, useState } from 'react';
import { isComposing } from '../ui/is-composing.ts';
import { type CompletionQuery, complete, findCompletion } from './completion.ts';
import { type CompletionSources, useCompletions } from './use-completions.ts';

interface CompletingOptions extends CompletionSources {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  /** Puts a text there, and the cursor where one goes on. */
  readonly onPut: (next: { readonly text: string; readonly cursor: number }) => void;
}

export interface Completing {
  readonly kind: CompletionQuery['kind'];
  readonly choices: readonly string[];
  readonly active: number;
  readonly isOpen: boolean;
  /** Looks at what stands before the cursor. */
  readonly look: () => void;
  readonly close: () => void;
  readonly choose: (choice: string) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
}

export function useCompleting({ area, onPut, ...sources }: CompletingOptions): Completing {
  const [query, setQuery] = useState<CompletionQuery>();
  const [active, setActive] = useState(0);
  const choices = useCompletions(query, sources);
  const isOpen = query !== undefined && choices.length > 0;

  const look = (): void => {
    if (!area.current) return;
    const { value, selectionStart, selectionEnd } = area.current;
    setQuery(selectionStart === selectionEnd ? findCompletion(value, selectionStart) : undefined);
    setActive(0);
  };
  const choose = (choice: string): void => {
    if (!query || !area.current) return;
    setQuery(undefined);
    onPut(complete(area.current.value, query, choice));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (!isOpen || isComposing(event)) return;
    const act: Record<string, () => void> = {
      ArrowDown: () => setActive((active + 1) % choices.length),
      ArrowUp: () => setActive((active + choices.length - 1) % choices.length),
      Enter: () => choose(choices[active] ?? ''),
      Tab: () => choose(choices[active] ?? ''),
      Escape: () => setQuery(undefined),
    };
    const action = event.shiftKey ? undefined : act[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  return {
    kind: query?.kind ?? 'command',
    choices,
    active: Math.min(active, choices.length - 1),
    isOpen,
    look,
    close: () => setQuery(undefined),
    choose,
    onKeyDown,
  };
}
