/** Completion at the cursor: finds the query before it, loads its completions, and inserts the one that the keyboard selects. */

import { GLOBAL_COMMANDS } from '@crewagent/protocol/commands';
import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react';
import { isComposing } from '../../ui/forms/input.tsx';
import { type CompletionQuery, complete, findCompletion } from './completion.ts';

interface CompletingOptions extends CompletionSources {
  readonly area: RefObject<HTMLTextAreaElement | null>;
  /** Sets the text and the cursor. */
  readonly onPut: (next: { readonly text: string; readonly cursor: number }) => void;
}

export function useCompleting({ area, onPut, ...sources }: CompletingOptions) {
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
  /** Updates the query from the text before the cursor. */
  const look = (): void => {
    if (!area.current) return;
    const { value, selectionStart, selectionEnd } = area.current;
    setQuery(selectionStart === selectionEnd ? findCompletion(value, selectionStart) : undefined);
    restart();
  };
  return {
    kind: query?.kind ?? ('command' as const),
    isOpen: choices.length > 0,
    ...{ choices, areCurrent, active, look, close, choose, onKeyDown },
  };
}

interface ChoosingOptions {
  /** Empty while closed. */
  readonly choices: readonly string[];
  /** Options are accepted only if this is true. */
  readonly areCurrent: boolean;
  readonly onChoose: (choice: string) => void;
  readonly onLeave: () => void;
}

export function useChoosing({ choices, areCurrent, onChoose, onLeave }: ChoosingOptions) {
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
  /** Selects the first option again. */
  const restart = (): void => setMoved(0);
  return { active, restart, onKeyDown };
}

/** Returns mount paths. */
type FindFiles = (query: string, signal: AbortSignal) => Promise<readonly string[]>;

const MOST = 8;
const ALL_COMMANDS = [...GLOBAL_COMMANDS.keys()];

export interface CompletionSources {
  /** Commands that are available now. */
  readonly commands?: readonly string[] | undefined;
  readonly findFiles?: FindFiles | undefined;
}

export interface Completions {
  readonly choices: readonly string[];
  /** Whether they match the current text. */
  readonly areCurrent: boolean;
}

export function useCompletions(
  query: CompletionQuery | undefined,
  { commands = ALL_COMMANDS, findFiles }: CompletionSources,
): Completions {
  const [found, setFound] = useState<{ readonly query: string; readonly files: readonly string[] }>();
  const fileQuery = query?.kind === 'file' ? query.query : undefined;
  useEffect(() => {
    if (fileQuery === undefined || !findFiles) {
      setFound(undefined);
      return undefined;
    }
    const controller = new AbortController();
    findFiles(fileQuery, controller.signal)
      .then(
        (files) => !controller.signal.aborted && setFound({ query: fileQuery, files: files.slice(0, MOST) }),
      )
      .catch(() => !controller.signal.aborted && setFound(undefined));
    return () => controller.abort();
  }, [fileQuery, findFiles]);
  if (query?.kind === 'command') return { choices: commandsFor(query.query, commands), areCurrent: true };
  if (fileQuery === undefined || !found) return NONE;
  return { choices: found.files, areCurrent: found.query === fileQuery };
}

const NONE: Completions = { choices: [], areCurrent: false };

function commandsFor(query: string, commands: readonly string[]): readonly string[] {
  const word = query.toLowerCase();
  // A complete command is not completed: Enter sends it.
  if (GLOBAL_COMMANDS.has(word)) return [];
  return commands.filter((name) => name.startsWith(word)).slice(0, MOST);
}
