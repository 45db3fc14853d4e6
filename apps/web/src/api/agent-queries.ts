/** Agents of a package. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { useApi } from './api-context.tsx';

export interface KnownAgent {
  readonly name: string;
  readonly title: string;
  readonly icon?: string | undefined;
}

/** The agent with this id; undefined while loading or if unknown. Content under a hash never changes, so it is cached forever. */
export function useAgent(
  packageHash: string | undefined,
  agentId: string | undefined,
): KnownAgent | undefined {
  const client = useApi();
  const { data } = useQuery({
    queryKey: ['agents', packageHash],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn:
      packageHash === undefined
        ? skipToken
        : async ({ signal }) => {
            const { agents } = await client.packages.show({ hash: packageHash }, { signal });
            return new Map<string, KnownAgent>(agents.map((agent) => [agent.id, agent]));
          },
  });
  return agentId === undefined ? undefined : data?.get(agentId);
}
