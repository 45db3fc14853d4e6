/** Completions for a query. The previous ones stay until new ones arrive; late responses are ignored. */
import { GLOBAL_COMMANDS } from '@crewagent/protocol/commands';
import { useEffect, useState } from 'react';
import type { CompletionQuery } from './completion.ts';

/** Returns mount paths. */
export type FindFiles = (query: string, signal: AbortSignal) => Promise<readonly string[]>;

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
