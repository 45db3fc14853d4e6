/**
 * A small MCP server over streamable HTTP for tests, without the SDK: it requires a token and can misbehave. Also with an
 * authorization server that issues the tokens.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { readBody, startHttpServer } from './http-server.ts';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string };
}

/** Answers a request that lacks authorization; undefined lets it pass. */
export type Guard = (request: IncomingMessage) => { status: number; challenge: string } | undefined;

const requireToken: Guard = ({ headers }) =>
  headers.authorization === 'Bearer a token' ? undefined : { status: 401, challenge: '' };

export async function startMcpHttpServer(
  misbehave: 'redirects' | 'floods' | undefined = undefined,
  guard: Guard = requireToken,
) {
  /** In order of arrival. */
  const methods: string[] = [];
  /** Values of the `authorization` header, one per request. */
  const tokens: (string | undefined)[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    tokens.push(request.headers.authorization);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (misbehave === 'redirects') return void response.writeHead(307, { location: '/elsewhere' }).end();
    const refused = guard(request);
    if (refused)
      return void response
        .writeHead(refused.status, refused.challenge ? { 'www-authenticate': refused.challenge } : {})
        .end();
    const message = JSON.parse(String(await readBody(request))) as Message;
    methods.push(message.method);
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.params?.name === 'hang') return;
    response.writeHead(200, { 'content-type': 'application/json' });
    const size = misbehave === 'floods' && message.method === 'tools/call' ? 40_000_000 : 0;
    response.end(
      JSON.stringify({
        jsonrpc: '2.0',
        id: message.id,
        ...toReply(message, size, request.headers.authorization),
      }),
    );
  };
  const server = await startHttpServer((request, response) => void answer(request, response));
  onTestFinished(server.close);
  return { url: `${server.url}/mcp`, methods, tokens };
}

function toReply({ method, params }: Message, size: number, authorization = ''): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'http', version: '1' },
        },
      };
    case 'tools/list': {
      const inputSchema = { type: 'object', properties: {} };
      return {
        result: {
          tools: ['ping', 'hang', 'whoami'].map((name) => ({ name, description: name, inputSchema })),
        },
      };
    }
    case 'tools/call': {
      const text = params?.name === 'whoami' ? authorization : 'pong';
      return { result: { content: [{ type: 'text', text: size > 0 ? 'x'.repeat(size) : text }] } };
    }
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

/** May be changed while the servers run. */
export interface OAuthBehaviour {
  /** The person refuses. */
  denies?: boolean;
  /** The redirect carries another state. */
  wrongState?: boolean;
  /** The redirect names another issuer. */
  wrongIssuer?: boolean;
  refusesRegistration?: boolean;
  refusesRefresh?: boolean;
  /** Overrides in the metadata of the authorization server. */
  metadata?: Record<string, unknown>;
  /** The scope that the MCP server requires. */
  scope?: string;
}

export type OAuthServers = Awaited<ReturnType<typeof startOAuthServers>>;

/**
 * An authorization server and an MCP server that requires its tokens. The authorization server redirects at once, as if the
 * person had agreed.
 */
export async function startOAuthServers(behaviour: OAuthBehaviour = {}) {
  /** Every code, token and secret that was issued. */
  const secrets: string[] = [];
  /** Paths of requests to the authorization server. */
  const requests: string[] = [];
  /** Forms that the token endpoint received. */
  const forms: URLSearchParams[] = [];
  const valid = new Map<string, string>();
  const codes = new Map<string, URLSearchParams>();
  const refreshable = new Set<string>();
  const issue = (): string => {
    const secret = `secret-${randomBytes(12).toString('hex')}`;
    secrets.push(secret);
    return secret;
  };
  const issueTokens = (scope: string): object => {
    const [access_token, refresh_token] = [issue(), issue()];
    valid.set(access_token, scope);
    refreshable.add(refresh_token);
    return { access_token, refresh_token, token_type: 'Bearer', scope };
  };

  const mcp = await startMcpHttpServer(undefined, ({ headers }) => {
    const scope = valid.get(headers.authorization?.replace('Bearer ', '') ?? '');
    const metadata = `resource_metadata="${new URL('/prm', issuer).href}"`;
    const { scope: required = '' } = behaviour;
    if (scope === undefined) return { status: 401, challenge: `Bearer ${metadata}` };
    if (required.split(' ').every((one) => scope.split(' ').includes(one) || one === '')) return undefined;
    const challenge = `Bearer error="insufficient_scope", scope="${required}", ${metadata}`;
    return { status: 403, challenge };
  });

  const authorize = (query: URLSearchParams): string => {
    const { denies, wrongState, wrongIssuer } = behaviour;
    const code = issue();
    codes.set(code, query);
    const target = new URL(query.get('redirect_uri') ?? '');
    target.search = new URLSearchParams({
      ...(denies ? { error: 'access_denied' } : { code }),
      state: wrongState ? 'another' : (query.get('state') ?? ''),
      iss: wrongIssuer ? 'https://another.example' : issuer,
    }).toString();
    return target.href;
  };
  const token = (form: URLSearchParams): object => {
    forms.push(form);
    if (form.get('grant_type') === 'refresh_token') {
      const isKnown = refreshable.delete(form.get('refresh_token') ?? '');
      return isKnown && !behaviour.refusesRefresh ? issueTokens('') : { error: 'invalid_grant' };
    }
    const asked = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const hash = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (asked?.get('code_challenge') !== hash) return { error: 'invalid_grant' };
    return issueTokens(asked.get('scope') ?? '');
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    requests.push(pathname);
    const text = String(await readBody(request));
    const json = (value: object): void => {
      response.writeHead('error' in value ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    switch (pathname) {
      case '/prm':
        return json({ resource: mcp.url, authorization_servers: [issuer] });
      case '/.well-known/oauth-authorization-server':
        return json({ ...metadataOf(issuer), ...behaviour.metadata });
      case '/register':
        return json(
          behaviour.refusesRegistration
            ? { error: 'access_denied' }
            : { ...(JSON.parse(text) as object), client_id: 'registered', client_secret: issue() },
        );
      case '/authorize':
        return void response.writeHead(302, { location: authorize(searchParams) }).end();
      case '/token':
        return json(token(new URLSearchParams(text)));
      default:
        return void response.writeHead(404).end();
    }
  };
  const { url: issuer, close } = await startHttpServer((request, response) => void answer(request, response));
  onTestFinished(close);
  /** Access tokens issued so far are no longer accepted. */
  const expireTokens = (): void => valid.clear();
  return { mcp, issuer, behaviour, secrets, requests, forms, expireTokens };
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}
