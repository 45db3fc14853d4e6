/** The team server at the other end, with the token of a person. */
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import {
  type ApiClient,
  ApiError,
  type CallsOf,
  createApiClient,
  createCalls,
} from '@crewagent/protocol/api/client';
import { ERRORS, type ErrorCode } from '@crewagent/protocol/errors';
import { CrewError } from '../base/crew-error.ts';
import { mapLimit } from '../base/map-limit.ts';

export interface TeamClient {
  readonly url: string;
  readonly api: ApiClient;
  readonly team: CallsOf<typeof TEAM_ENDPOINTS>;
}

export interface TeamAddress {
  readonly url: string;
  /** An API token. */
  readonly token: string;
}

/** Throws USAGE for an address that would show the token to others. */
export function createTeamClient({ url, token }: TeamAddress): TeamClient {
  const options = { baseUrl: requireAddress(url), token };
  return { url: options.baseUrl, api: createApiClient(options), team: createCalls(TEAM_ENDPOINTS, options) };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function requireAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new CrewError(
      'USAGE',
      `"${text.slice(0, 200)}" is not the address of a team server, such as https://crew.example.com.`,
    );
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new CrewError(
      'USAGE',
      'Use an address that starts with https://. Others could read the token and the run on the way.',
    );
  return url.origin;
}

/** Errors of the server and of the way to it, as sentences. */
export async function withServerErrors<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CrewError) throw error;
    if (error instanceof ApiError) throw toCrewError(error, url);
    // `fetch` throws a TypeError for every failure of the network.
    if (error instanceof TypeError)
      throw new CrewError(
        'TEAM_UNREACHABLE',
        `The team server at ${url} does not answer. Check the address and the network, then run the command again.`,
        { cause: error },
      );
    throw error;
  }
}

function toCrewError(error: ApiError, url: string): CrewError {
  const { code, message } = error;
  if (code === 'SIGN_IN_REQUIRED' || code === 'TOKEN_REQUIRED')
    return new CrewError(
      'SIGN_IN_REQUIRED',
      `The team server at ${url} does not accept the token. Create one on its Team page, under API tokens.`,
    );
  return Object.hasOwn(ERRORS, code)
    ? new CrewError(code as ErrorCode, message)
    : new CrewError('TEAM_UNREACHABLE', `The team server at ${url} answered with an error: ${message}`);
}

/** Contents that travel at once. */
const AT_ONCE = 4;

export async function forEachContent<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  await mapLimit(items, AT_ONCE, work);
}
