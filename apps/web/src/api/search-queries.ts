/** Search over the text of Works. While the index is incomplete it is asked again: each request adds to it. */
import { useSettled } from '../ui/use-settled.ts';
import { LIVE, useApiQuery } from './api-context.tsx';

const AGAIN_MS = 300;

export function useTextSearch(text: string, project: string) {
  const wanted = useSettled(text.trim());
  return useApiQuery(
    ['search', project, wanted],
    ({ search }, call) => search.find({ query: { q: wanted, project, limit: '20' } }, call),
    {
      ...LIVE,
      enabled: wanted !== '',
      refetchInterval: ({ state: { data } }) =>
        data && data.indexed < data.total && !data.isFull ? AGAIN_MS : false,
    },
  );
}
