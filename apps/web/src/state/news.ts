/** Whether a person wants to be told by the browser when something waits for them or is over. Kept in this browser. */
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

interface News {
  readonly wantsNews: boolean;
}

export const useNews = create<News>()(
  persist((): News => ({ wantsNews: false }), { name: 'crewagent.news' }),
);

export function setWantsNews(wantsNews: boolean): void {
  useNews.setState({ wantsNews });
}
