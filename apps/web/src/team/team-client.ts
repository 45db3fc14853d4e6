/** The calls that only a team server answers. The browser sends the cookie of the session with them. */
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { createCalls } from '@crewagent/protocol/api/client';
import { type QueryKey, useQuery } from '@tanstack/react-query';

export const team = createCalls(TEAM_ENDPOINTS, { baseUrl: location.origin, token: undefined });

export const TEAM_KEYS = {
  all: ['team'],
  works: ['team', 'works'],
  workers: ['team', 'workers'],
  queue: ['team', 'queue'],
  waiting: (workId: string) => ['team', 'waiting', workId],
  people: ['team', 'people'],
  tokens: ['team', 'tokens'],
  audit: ['team', 'audit'],
  members: (projectId: string) => ['team', 'members', projectId],
  policy: (projectId: string) => ['team', 'policy', projectId],
  inbox: ['team', 'inbox'],
  quotas: ['team', 'quotas'],
  source: (projectId: string) => ['team', 'source', projectId],
  conflicts: (projectId: string) => ['team', 'conflicts', projectId],
} as const;

/** How often what others do is asked for. */
const LIVE_MS = 5_000;

export function useTeamQuery<T>(queryKey: QueryKey, ask: () => Promise<T>, isLive = false) {
  return useQuery({
    queryKey,
    queryFn: ask,
    retry: false,
    staleTime: 0,
    ...(isLive ? { refetchInterval: LIVE_MS } : {}),
  });
}
