/** Loads earlier items of a story where a panel needs all of them. Provided by the screen. */
import type { Story } from '@crewagent/protocol/story/story';
import { createContext, useContext, useEffect } from 'react';

/** `limit`: the number of items; the server's page by default. */
export type LoadEarlier = (runId: string, limit?: number) => Promise<void>;

export const LoadEarlierContext = createContext<LoadEarlier>(() => Promise.resolve());

const LARGE_PAGE = 1_000;

/** Loads page after page while the component is mounted. */
export function useWholeStory({ runId, earlier }: Pick<Readonly<Story>, 'runId' | 'earlier'>): void {
  const load = useContext(LoadEarlierContext);
  const before = earlier?.before;
  useEffect(() => {
    // The connection notes say why nothing arrives.
    if (before !== undefined) load(runId, LARGE_PAGE).catch(() => undefined);
  }, [load, runId, before]);
}
