/** The API client and the query cache, for all components. */
import type { ApiClient, CallOptions } from '@crewagent/protocol/api/client';
import {
  keepPreviousData,
  QueryClient,
  QueryClientProvider,
  type QueryKey,
  type UseQueryOptions,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { type Action, useAction } from '../ui/use-action.ts';

const ApiContext = createContext<ApiClient | undefined>(undefined);

interface ApiProviderProps {
  readonly client: ApiClient;
  readonly children: ReactNode;
}

export function ApiProvider({ client, children }: ApiProviderProps) {
  const [queries] = useState(
    () => new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: 5_000 } } }),
  );
  return (
    <ApiContext value={client}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </ApiContext>
  );
}

export function useApi(): ApiClient {
  const client = useContext(ApiContext);
  if (!client) throw new Error('useApi needs an ApiProvider above it.');
  return client;
}

/** A query that the server answers; `ask` passes on the options of the call. */
export function useApiQuery<T>(
  queryKey: QueryKey,
  ask: (client: ApiClient, call: CallOptions) => Promise<T>,
  options?: Omit<UseQueryOptions<T>, 'queryKey' | 'queryFn'>,
) {
  const client = useApi();
  return useQuery({ ...options, queryKey, queryFn: ({ signal }) => ask(client, { signal }) });
}

/** For content that never changes, such as that of a package under its hash. */
export const FOREVER = { staleTime: Number.POSITIVE_INFINITY } as const;

/** For what changes by itself: requested whenever it is shown, and what is known stays visible until then. */
export const LIVE = { staleTime: 0, retry: false, placeholderData: keepPreviousData } as const;

/** An action that changes what a query shows; the query is refetched when it is done. */
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
