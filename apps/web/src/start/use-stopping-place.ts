/** Where a run stopped, asked again when the run changed. */
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../api/api-context.tsx';
import type { Run } from '../state/work-list.ts';
import { type StoppingPlace, toStoppingPlace } from './stopping-place.ts';

export function useStoppingPlace(run: Run | undefined): StoppingPlace | undefined {
  const client = useApi();
  const { data } = useQuery({
    queryKey: ['stopping-place', run?.runId, run?.updatedAt],
    enabled: run !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) =>
      toStoppingPlace((await client.runs.show({ runId: run?.runId ?? '' }, { signal })).view),
  });
  return data;
}
