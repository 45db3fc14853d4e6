/**
 * The login of an MCP server as its connection uses it: adds the access token to requests, renews it when the server rejects it,
 * and records that a person has to sign in. It never starts a login.
 */
import type { LoginChallenge, LoginGrant } from '@crewagent/protocol/secrets';
import {
  type AuthProvider,
  discoverAuthorizationServerMetadata,
  extractWWWAuthenticateParams,
  InsufficientScopeError,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { createAuthFetch } from './auth-fetch.ts';
import type { LoginRecord } from './login-record.ts';
import { LoginRequired } from './open-client.ts';

export interface ServerAuth extends AuthProvider {
  /** Whether a request is worth a try after the server required a login. */
  isReady(): Promise<boolean>;
  /** For an error of the SDK that a login fixes; recorded for the next sign-in. */
  toLoginRequired(cause: unknown): Promise<LoginRequired | undefined>;
  /** Tokens that were used, to be masked. */
  secrets(): readonly string[];
}

export function createServerAuth(record: LoginRecord): ServerAuth {
  const used = new Set<string>();
  let lastToken: string | undefined;
  const requireLogin = (challenge: LoginChallenge): Promise<LoginRequired> =>
    record.exclusively(async () => {
      const login = await record.read();
      // A login that was completed meanwhile is newer than the rejection.
      const isCurrent = login?.grant?.accessToken === lastToken;
      if (isCurrent && JSON.stringify(login?.challenge) !== JSON.stringify(challenge))
        await record.write({ ...login, challenge });
      return new LoginRequired();
    });

  return {
    async token() {
      const { grant } = (await record.read()) ?? {};
      lastToken = grant?.accessToken;
      for (const secret of [grant?.accessToken, grant?.refreshToken]) if (secret) used.add(secret);
      return lastToken;
    },
    async onUnauthorized({ response }) {
      const rejected = lastToken;
      const isRenewed = await record.exclusively(async () => {
        const { grant } = (await record.read()) ?? {};
        // Another process, or another request, has renewed it meanwhile.
        if (grant && grant.accessToken !== rejected) return true;
        const renewed = grant && (await renew(grant, record.url));
        if (renewed) await record.write({ grant: renewed });
        return renewed !== undefined;
      });
      if (!isRenewed) throw await requireLogin(toChallenge(extractWWWAuthenticateParams(response)));
    },
    isReady: async () => (await record.read())?.challenge === undefined,
    async toLoginRequired(cause) {
      if (cause instanceof LoginRequired) return cause;
      if (cause instanceof InsufficientScopeError) {
        const { requiredScope: scope, resourceMetadataUrl } = cause;
        return requireLogin(toChallenge({ scope, resourceMetadataUrl }));
      }
      const isRejectedAgain =
        cause instanceof SdkHttpError && cause.code === SdkErrorCode.ClientHttpAuthentication;
      return isRejectedAgain ? requireLogin({}) : undefined;
    },
    secrets: () => [...used],
  };
}

const MAX_SCOPE_CHARS = 2_000;

function toChallenge({
  scope,
  resourceMetadataUrl,
}: {
  scope?: string;
  resourceMetadataUrl?: URL;
}): LoginChallenge {
  return { scope: scope?.slice(0, MAX_SCOPE_CHARS), resourceMetadataUrl: resourceMetadataUrl?.href };
}

/** Undefined if the authorization server refuses; throws if it cannot be reached. */
async function renew(grant: LoginGrant, serverUrl: string): Promise<LoginGrant | undefined> {
  const { authorizationServer, issuer, client, refreshToken, resource } = grant;
  if (refreshToken === undefined) return undefined;
  const fetchFn = createAuthFetch(serverUrl);
  try {
    const metadata = await discoverAuthorizationServerMetadata(authorizationServer, { fetchFn });
    // The refresh token belongs to the server that issued it.
    if (metadata && metadata.issuer !== issuer) return undefined;
    const tokens = await refreshAuthorization(authorizationServer, {
      metadata,
      clientInformation: client,
      refreshToken,
      resource,
      fetchFn,
    });
    return {
      ...grant,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? refreshToken,
      scope: tokens.scope ?? grant.scope,
    };
  } catch (error) {
    if (error instanceof OAuthError && error.code !== OAuthErrorCode.ServerError) return undefined;
    // Without the text of the server, which may repeat a token.
    throw new Error('The login could not be renewed: the authorization server gave no valid response.');
  }
}
