/**
 * A small MCP server over streamable HTTP for tests, without the SDK: it requires a token and can misbehave.
 */
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
