/** An action that changes what a query shows; the query is refetched when it is done. */
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { type Action, useAction } from '../ui/use-action.ts';

export function useChange<Args extends readonly unknown[]>(
  queryKey: QueryKey,
  act: (...args: Args) => Promise<unknown>,
): Action<Args> {
  const queries = useQueryClient();
  return useAction(async (...args: Args) => {
    await act(...args);
    await queries.invalidateQueries({ queryKey });
  });
}
