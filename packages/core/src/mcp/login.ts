/**
 * A login to an MCP server over OAuth, in the browser of the person. Discovery, registration of this program, PKCE and the
 * exchange of the code are the SDK's; addresses, the local redirect and the storage of tokens are ours.
 */
import { randomBytes } from 'node:crypto';
import type { LoginChallenge, LoginGrant } from '@crewagent/protocol/secrets';
import {
  auth,
  computeScopeUnion,
  discoverOAuthServerInfo,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  OAuthError,
  type OAuthServerInfo,
  RegistrationRejectedError,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { CrewError } from '../base/crew-error.ts';
import { createAuthFetch, requireSafeAddress } from './auth-fetch.ts';
import { McpConnection } from './connection.ts';
import { listenForCallback } from './login-callback.ts';
import { createMemoryRecord, type LoginRecord } from './login-record.ts';
import type { HttpAddress } from './open-client.ts';
import { LoginRequired, ServerFailure } from './open-client.ts';
import { createServerAuth } from './server-auth.ts';

export interface RegisteredClient {
  readonly id: string;
  readonly secret?: string | undefined;
}

export interface LoginOptions {
  readonly record: LoginRecord;
  readonly target: HttpAddress;
  /** A client that a person registered, for authorization servers that register none by themselves. */
  readonly client?: RegisteredClient | undefined;
  /** Of the local redirect; random by default. */
  readonly port?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

export interface StartedLogin {
  /** The page where the person signs in. Show it before it is opened. */
  readonly url: string;
  /** Resolves when the tokens are stored. Rejects with `MCP_LOGIN_FAILED`. */
  readonly done: Promise<void>;
}

const TIMEOUT_MS = 300_000;

/** Resolves when the person can sign in. Rejects with `MCP_LOGIN_FAILED`, which names the step that failed. */
export async function startLogin(options: LoginOptions): Promise<StartedLogin> {
  const { record, port, timeoutMs = TIMEOUT_MS, signal } = options;
  const { url } = record;
  const fetchFn = createAuthFetch(url);
  await atStep('The address of the server', () => requireSafeAddress(new URL(url), new URL(url)));
  const { scope, resourceMetadataUrl } = await findChallenge(options);
  const request = {
    serverUrl: url,
    fetchFn,
    scope,
    resourceMetadataUrl: resourceMetadataUrl === undefined ? undefined : new URL(resourceMetadataUrl),
  };
  const state = randomBytes(32).toString('base64url');
  const callback = await atStep('The local redirect', () => listenForCallback(state, port));
  try {
    const found = await atStep('The search for the authorization server', () =>
      discoverOAuthServerInfo(url, request),
    );
    await atStep('The check of the authorization server', async () => requirePkce(found));
    const session = createLoginSession(found, state, callback.redirectUrl, options.client);
    await atStep('The registration of this program', () => auth(session.provider, request));
    const page = session.page();
    await atStep('The address of the sign-in page', () => requireSafeAddress(page, new URL(url)));
    const finish = async (): Promise<void> => {
      let isSignedIn = false;
      try {
        await atStep('The sign-in', async () => {
          const params = await callback.wait(timeoutMs, signal);
          const transport = new StreamableHTTPClientTransport(new URL(url), {
            authProvider: session.provider,
            fetch: fetchFn,
          });
          await transport.finishAuth(params);
        });
        const grant = session.grant(scope);
        await record.exclusively(() => record.write({ grant }));
        isSignedIn = true;
      } finally {
        await callback.close(isSignedIn);
      }
    };
    const done = finish();
    // The caller may wait for it later.
    done.catch(() => undefined);
    return { url: page.href, done };
  } catch (error) {
    await callback.close(false);
    throw error;
  }
}

/** What the SDK asks for and produces during one login. In memory; only the result is stored. */
function createLoginSession(
  found: OAuthServerInfo,
  state: string,
  redirectUrl: string,
  registered: RegisteredClient | undefined,
) {
  const supported = found.authorizationServerMetadata?.token_endpoint_auth_methods_supported ?? [];
  let discovered: OAuthDiscoveryState = found;
  let client: StoredOAuthClientInformation | undefined = registered && {
    client_id: registered.id,
    client_secret: registered.secret,
    issuer: issuerOf(found),
  };
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
    /** The page where the person signs in. */
    page(): URL {
      if (!page) throw new Error('There is no page to sign in.');
      return page;
    },
    /** The result. A response without a scope grants the requested one. */
    grant(requestedScope: string | undefined): LoginGrant {
      if (!client || !tokens) throw new Error('The login has no result.');
      return {
        authorizationServer: discovered.authorizationServerUrl,
        issuer: tokens.issuer ?? issuerOf(discovered),
        resource,
        client: toStoredClient(client),
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token,
        scope: tokens.scope ?? requestedScope,
      };
    },
  };
}

function issuerOf({ authorizationServerMetadata, authorizationServerUrl }: OAuthServerInfo): string {
  return authorizationServerMetadata?.issuer ?? authorizationServerUrl;
}

function toStoredClient(client: StoredOAuthClientInformation): LoginGrant['client'] {
  const { client_id, client_secret } = client;
  const method = 'token_endpoint_auth_method' in client ? client.token_endpoint_auth_method : undefined;
  return {
    client_id,
    client_secret,
    token_endpoint_auth_method: typeof method === 'string' ? method : undefined,
  };
}

/**
 * Metadata that does not name S256 means that the code of a sign-in is not bound to this program. Servers without any metadata, of
 * the protocol of March 2025, cannot say it; they get the challenge like all others.
 */
function requirePkce({ authorizationServerMetadata: metadata }: OAuthServerInfo): void {
  if (metadata && !metadata.code_challenge_methods_supported?.includes('S256'))
    throw new Error(
      'it does not support PKCE with S256, so somebody else could use the code of your sign-in. Ask its operator to enable it.',
    );
}

/** Asks the server without a login. A scope that it asked for earlier is added to the scope that was granted. */
async function findChallenge({ record, target, signal }: LoginOptions): Promise<LoginChallenge> {
  const anonymous = createMemoryRecord(record.url);
  const auth = createServerAuth(anonymous);
  const connection = new McpConnection({ target, project: process.cwd(), secrets: [], auth });
  try {
    await connection.ready(signal);
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error;
    if (!(error instanceof LoginRequired)) throw loginFailed('The connection to the server', error.message);
  } finally {
    await connection.close();
  }
  const login = await record.read();
  const challenge = (await anonymous.read())?.challenge ?? login?.challenge;
  if (!challenge) throw new CrewError('MCP_LOGIN_FAILED', 'The server does not ask for a sign-in.');
  const earlier = login?.challenge?.scope;
  const granted = earlier === undefined ? undefined : login?.grant?.scope;
  return { ...challenge, scope: computeScopeUnion(granted, earlier, challenge.scope) };
}

async function atStep<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw loginFailed(name, describe(error));
  }
}

function loginFailed(step: string, reason: string): CrewError {
  return new CrewError('MCP_LOGIN_FAILED', `${step} failed: ${reason}`);
}

const MAX_REASON_CHARS = 300;

/** Texts of the authorization server are untrusted, so they are short and without control characters. */
function describe(error: unknown): string {
  if (error instanceof RegistrationRejectedError)
    return `the authorization server refused it (HTTP ${error.status}). Ask its operator for a client ID, then run crewagent mcp login with --client-id.`;
  if (error instanceof OAuthError && error.code === 'access_denied') return 'access was denied.';
  const text = error instanceof Error ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${text}${cause}`.replace(/\p{C}+/gu, ' ').slice(0, MAX_REASON_CHARS);
}
