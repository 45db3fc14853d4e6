/** Loads earlier items of a story where a panel needs all of them. Provided by the screen. */
import type { Story } from '@crewagent/protocol/story/story';
import { createContext, useContext, useEffect } from 'react';

/** `limit`: the number of items; the server's page by default. */
export type LoadEarlier = (runId: string, limit?: number) => Promise<void>;

export const LoadEarlierContext = createContext<LoadEarlier>(() => Promise.resolve());

const LARGE_PAGE = 1_000;
const RETRY_MS = 2_000;

/** Loads page after page while the component is mounted. */
export function useWholeStory({ runId, earlier }: Pick<Readonly<Story>, 'runId' | 'earlier'>): void {
  const load = useContext(LoadEarlierContext);
  const before = earlier?.before;
  useEffect(() => {
    let isMounted = true;
    const attempt = (): void => {
      if (!isMounted) return;
      // The connection notes say why nothing arrives.
      load(runId, LARGE_PAGE).catch(() => setTimeout(attempt, RETRY_MS));
    };
    if (before !== undefined) attempt();
    return () => {
      isMounted = false;
    };
  }, [load, runId, before]);
}
