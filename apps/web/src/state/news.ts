/** Whether a person wants to be told by the browser when something waits for them or is over. Kept in this browser. */
import * as z from '@crewagent/protocol/zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { mergePersisted } from './persisted.ts';

interface News {
  readonly wantsNews: boolean;
}

export const useNews = create<News>()(
  persist((): News => ({ wantsNews: false }), {
    name: 'crewagent.news',
    merge: mergePersisted(z.object({ wantsNews: z.boolean() })),
  }),
);

export function setWantsNews(wantsNews: boolean): void {
  useNews.setState({ wantsNews });
}
