/** Search over the text of Works. While the index is incomplete it is asked again: each request adds to it. */
import { useEffect, useState } from 'react';
import { LIVE, useApiQuery } from './api-context.tsx';

/** Time in which a further letter may be typed. */
const TYPING_MS = 200;
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

/** The text, once it is not being changed. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
