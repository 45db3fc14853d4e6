/**
 * What the SDK asks for and produces during one login: the client, the PKCE verifier, the tokens. In memory; only the result is
 * stored.
 */
import type { LoginGrant } from '@crewagent/protocol/secrets';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthServerInfo,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

export interface RegisteredClient {
  readonly id: string;
  readonly secret?: string | undefined;
}

export interface LoginSessionOptions {
  readonly found: OAuthServerInfo;
  readonly state: string;
  readonly redirectUrl: string;
  readonly client?: RegisteredClient | undefined;
}

export interface LoginSession {
  readonly provider: OAuthClientProvider;
  /** The page where the person signs in. */
  page(): URL;
  /** The result. A response without a scope grants the requested one. */
  grant(requestedScope: string | undefined): LoginGrant;
}

export function createLoginSession({
  found,
  state,
  redirectUrl,
  client: registered,
}: LoginSessionOptions): LoginSession {
  const supported = found.authorizationServerMetadata?.token_endpoint_auth_methods_supported ?? [];
  let discovered: OAuthDiscoveryState = found;
  let client: StoredOAuthClientInformation | undefined = registered && toClient(registered, issuerOf(found));
  let tokens: StoredOAuthTokens | undefined;
  let page: URL | undefined;
  let verifier = '';
  let resource: string | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'CrewAgent',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      // A program on the person's machine cannot keep a secret, so it asks for none if possible.
      ...(supported.includes('none') ? { token_endpoint_auth_method: 'none' } : {}),
    },
    state: () => state,
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information;
    },
    // A login always asks the person; tokens of an earlier one are not used.
    tokens: () => tokens,
    saveTokens: (received) => {
      tokens = received;
    },
    redirectToAuthorization: (url) => {
      page = url;
    },
    saveCodeVerifier: (codeVerifier) => {
      verifier = codeVerifier;
    },
    codeVerifier: () => verifier,
    saveResourceUrl: (url) => {
      resource = url;
    },
    saveDiscoveryState: (saved) => {
      discovered = saved;
    },
    discoveryState: () => discovered,
  };
  return {
    provider,
    page() {
      if (!page) throw new Error('There is no page to sign in.');
      return page;
    },
    grant(requestedScope) {
      if (!client || !tokens) throw new Error('The login has no result.');
      const scope = tokens.scope ?? requestedScope;
      return {
        authorizationServer: discovered.authorizationServerUrl,
        issuer: tokens.issuer ?? issuerOf(discovered),
        resource,
        client: toStoredClient(client),
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token,
        scope,
      };
    },
  };
}

function issuerOf({ authorizationServerMetadata, authorizationServerUrl }: OAuthServerInfo): string {
  return authorizationServerMetadata?.issuer ?? authorizationServerUrl;
}

function toClient({ id, secret }: RegisteredClient, issuer: string): StoredOAuthClientInformation {
  return { client_id: id, client_secret: secret, issuer };
}

function toStoredClient(client: StoredOAuthClientInformation): LoginGrant['client'] {
  const { client_id, client_secret } = client;
  const method = 'token_endpoint_auth_method' in client ? client.token_endpoint_auth_method : undefined;
  return {
    client_id,
    client_secret,
    ...(typeof method === 'string' ? { token_endpoint_auth_method: method } : {}),
  };
}
