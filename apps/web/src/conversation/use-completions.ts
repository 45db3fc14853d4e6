/** The choices for what is being typed. Answers that come late are for nobody. */
import { GLOBAL_COMMANDS } from '@crewagent/protocol/commands';
import { useEffect, useState } from 'react';
import type { CompletionQuery } from './completion.ts';

export type FindFiles = (query: string, signal: AbortSignal) => Promise<readonly string[]>;

const MOST = 8;
const ALL_COMMANDS = [...GLOBAL_COMMANDS.keys()];

export interface CompletionSources {
  /** Those that mean something now. */
  readonly commands?: readonly string[] | undefined;
  readonly findFiles?: FindFiles | undefined;
}

export function useCompletions(
  query: CompletionQuery | undefined,
  { commands = ALL_COMMANDS, findFiles }: CompletionSources,
): readonly string[] {
  const [files, setFiles] = useState<readonly string[]>([]);
  const fileQuery = query?.kind === 'file' ? query.query : undefined;
  useEffect(() => {
    if (fileQuery === undefined || !findFiles) {
      setFiles([]);
      return undefined;
    }
    const controller = new AbortController();
    findFiles(fileQuery, controller.signal)
      .then((found) => !controller.signal.aborted && setFiles(found.slice(0, MOST)))
      .catch(() => !controller.signal.aborted && setFiles([]));
    return () => controller.abort();
  }, [fileQuery, findFiles]);
  if (query?.kind === 'command') {
    const word = query.query.toLowerCase();
    // Typed in full: Enter sends it.
    if (GLOBAL_COMMANDS.has(word)) return [];
    return commands.filter((name) => name.startsWith(word)).slice(0, MOST);
  }
  return files;
}
