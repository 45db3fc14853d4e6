/** Follows a conversation while mounted. One store per id, so that another conversation is never shown. */
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { WorkApi } from '../api/work-api.ts';
import type { LoadEarlier } from '../run/load-earlier.ts';
import { createConversationStore } from '../state/conversation-store.ts';
import { toError } from '../ui/errors/error-texts.ts';

export type FollowedConversation = ReturnType<typeof useConversation>;

export function useConversation(api: WorkApi, workId: string) {
  const store = useMemo(() => createConversationStore(workId), [workId]);
  const [connection, setConnection] = useState<'opening' | 'open' | 'broken'>('opening');
  /** The conversation cannot be followed, and a retry would not help. */
  const [issue, setIssue] = useState<Error>();
  const [reloads, setReloads] = useState(0);
  /** Requests it again. */
  const reload = useCallback(() => setReloads((count) => count + 1), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is followed anew when it is to be reloaded
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const follow = async (): Promise<void> => {
      for await (const message of api.follow(workId, { signal, onState: setConnection })) {
        if (signal.aborted) return;
        store.take(message);
      }
    };
    setIssue(undefined);
    follow().catch((error: unknown) => {
      if (!signal.aborted) setIssue(toError(error));
    });
    return () => controller.abort();
  }, [api, workId, store, reloads]);
  /** Loads items before those that are loaded of a log. */
  const loadEarlier = useCallback<LoadEarlier>(
    async (runId, limit) => {
      const { own, runs } = store.picture.read();
      const { earlier } = (runId === own.runId ? own : runs.get(runId)) ?? {};
      if (!earlier) return;
      const { before } = earlier;
      store.take({ type: 'earlier', runId, before, page: await api.earlier(runId, before, limit) });
    },
    [api, store],
  );
  /** Subscribed to where it is rendered: it changes with each frame. */
  const { words } = store;
  const picture = useSyncExternalStore(store.picture.subscribe, store.picture.read);
  return { picture, words, connection, issue, loadEarlier, reload };
}
