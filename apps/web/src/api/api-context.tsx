/** The API client and the query cache, for all components. */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { QueryClient, QueryClientProvider, type QueryKey, useQueryClient } from '@tanstack/react-query';
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
