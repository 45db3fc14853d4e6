/** Finds out whether a team server has sent this page, and who is signed in. Loaded only without the token of a local server. */
import '../i18n/team-texts.ts';
import { type ApiClient, ApiError, createApiClient } from '@crewagent/protocol/api/client';
import { useTeamServer } from '../state/team-server.ts';
import { team } from './team-client.ts';

/** The client of who is signed in; undefined if this is no team server. Whoever is not signed in is sent to the sign-in page. */
export async function enterTeam(send: typeof fetch): Promise<ApiClient | undefined> {
  try {
    await team.account.methods();
  } catch {
    return undefined;
  }
  try {
    useTeamServer.setState({ me: await team.account.me() });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) throw error;
    location.replace('/sign-in');
  }
  return createApiClient({ baseUrl: location.origin, token: undefined, fetch: send });
}
