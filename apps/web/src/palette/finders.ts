/**
 * Search providers of the palette, for results that are not known in advance, such as files, or too many to list, such as steps.
 * Screens register theirs while they are mounted; the palette queries all of them.
 */
import { useEffect, useState } from 'react';
import { create } from 'zustand';
import type { Command } from './commands.ts';

export interface Finder {
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Command[]>;
  /** Results of the visible screen come before others. */
  readonly goesFirst?: true;
}

interface Registry {
  readonly finders: readonly Finder[];
}

const useRegistry = create<Registry>(() => ({ finders: [] }));

/** Registers a finder while the component is mounted. */
export function useFinder(finder: Finder): void {
  useEffect(() => {
    useRegistry.setState(({ finders }) => ({
      finders: finder.goesFirst ? [finder, ...finders] : [...finders, finder],
    }));
    return () =>
      useRegistry.setState(({ finders }) => ({ finders: finders.filter((other) => other !== finder) }));
  }, [finder]);
}

interface Found {
  readonly text: string;
  readonly commands: readonly Command[];
}

/** Limit per kind, so that one kind leaves room for the others. */
export const MAX_PER_KIND = 8;

const WAIT_MS = 120;
const NOTHING: readonly Command[] = [];

/** Results for the text; the previous results stay until the new ones arrive. */
export function useFound(text: string): { readonly commands: readonly Command[]; readonly isBusy: boolean } {
  const finders = useRegistry((state) => state.finders);
  const [found, setFound] = useState<Found>({ text: '', commands: NOTHING });
  useEffect(() => {
    if (text === '' || finders.length === 0) return setFound({ text, commands: NOTHING });
    const controller = new AbortController();
    const search = async (): Promise<void> => {
      const results = finders.map(() => NOTHING);
      const find = async (finder: Finder, at: number): Promise<void> => {
        results[at] = (await finder.find(text, controller.signal)).slice(0, MAX_PER_KIND);
        // A slow one does not delay the others.
        if (!controller.signal.aborted) setFound((before) => ({ ...before, commands: results.flat() }));
      };
      await Promise.allSettled(finders.map(find));
      if (!controller.signal.aborted) setFound({ text, commands: results.flat() });
    };
    const timer = setTimeout(() => void search(), WAIT_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, finders]);
  return { commands: text === '' ? NOTHING : found.commands, isBusy: found.text !== text };
}
