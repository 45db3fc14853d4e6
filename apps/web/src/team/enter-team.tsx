/** Finds out whether a team server has sent this page, and who is signed in. Loaded only without the token of a local server. */
import '../i18n/team-texts.ts';
import type { ApiClient } from '@crewagent/protocol/api/client';
import { ApiError, createApiClient } from '@crewagent/protocol/api/client';
import type { ReactNode } from 'react';
import { useTeamServer } from '../state/team-server.ts';
import { type Methods, SignInScreen } from './sign-in-screen.tsx';
import { team } from './team-client.ts';

/** The page for who is not signed in, or the client of who is; nothing if this is no team server. */
export type Entrance = { readonly screen: ReactNode } | { readonly client: ApiClient } | undefined;

export async function enterTeam(send: typeof fetch): Promise<Entrance> {
  let methods: Methods;
  try {
    methods = await team.account.methods();
  } catch {
    return undefined;
  }
  const me = await team.account.me().catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  });
  if (!me || location.pathname === '/sign-in') return { screen: <SignInScreen methods={methods} me={me} /> };
  useTeamServer.setState({ me });
  return { client: createApiClient({ baseUrl: location.origin, token: undefined, fetch: send }) };
}
