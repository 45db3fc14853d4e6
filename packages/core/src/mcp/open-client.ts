/**
 * An SDK client for one server, over a child process or HTTP, with the reason why its connection closed.
 */
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { VERSION } from '@crewagent/protocol/version';
import {
  type AuthProvider,
  Client,
  type ElicitRequestFormParams,
  type ElicitResult,
  type FetchLike,
  parseJSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { TreeCommand } from '../processes/process-tree.ts';
import { createStdioTransport, startServerProcess } from './stdio-transport.ts';
import { untilAborted } from './until-aborted.ts';

export interface HttpAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OpenClient {
  readonly client: Client;
  readonly stderr: () => string;
  /** Why the connection closed, if known. */
  closeReason(): string | undefined;
  connect(timeoutMs: number): Promise<void>;
}

export interface OpenClientOptions {
  readonly target: TreeCommand | HttpAddress;
  /** The login, for a server over HTTP. */
  readonly auth?: AuthProvider | undefined;
  /** The folder reported to the server as its root. */
  readonly project: string;
  onToolsChanged(): void;
  onElicit(form: ElicitRequestFormParams): Promise<ElicitResult>;
}

export function openClient({
  target,
  auth,
  project,
  onToolsChanged,
  onElicit,
}: OpenClientOptions): OpenClient {
  const { transport, stderr, closeReason } =
    'command' in target ? openProcess(target) : openHttp(target, auth);
  const client = new Client(
    { name: 'crewagent', version: VERSION },
    {
      // No sampling: a server does not get the model of the person.
      capabilities: { roots: {}, elicitation: { form: { applyDefaults: true } } },
      // A probe costs a request; for a process that does not support it, it would cost a restart.
      versionNegotiation: { mode: 'command' in target ? 'legacy' : 'auto' },
      // Schemas of a server are not compiled: a hostile pattern could block this process.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  );
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
  client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: pathToFileURL(project).href, name: 'project' }],
  }));
  client.setRequestHandler('elicitation/create', ({ params }) =>
    'requestedSchema' in params ? onElicit(params) : { action: 'decline' },
  );
  return {
    client,
    stderr,
    closeReason,
    // The SDK limits each request; a start consists of several.
    connect: (timeout) =>
      untilAborted(
        client.connect(transport, { timeout }),
        AbortSignal.timeout(timeout),
        () => new Error('timed out'),
      ),
  };
}

interface OpenTransport {
  readonly transport: Transport;
  readonly stderr: () => string;
  closeReason(): string | undefined;
}

function openProcess(command: TreeCommand): OpenTransport {
  const server = startServerProcess(command);
  const transport = createStdioTransport(server, parseJSONRPCMessage);
  return { transport, stderr: collectStderr(server.stderr), closeReason: () => transport.ending };
}

function openHttp({ url, headers }: HttpAddress, authProvider: AuthProvider | undefined): OpenTransport {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: createLimitedFetch(),
    authProvider,
  });
  return { transport, stderr: () => '', closeReason: () => undefined };
}

const MAX_STDERR_BYTES = 8_192;

/** The last lines a server wrote to stderr, shown to a person when the server fails. */
function collectStderr(stream: Readable): () => string {
  let tail = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk.subarray(-MAX_STDERR_BYTES)]).subarray(-MAX_STDERR_BYTES);
  });
  stream.on('error', () => undefined);
  return () => tail.toString('utf8').trim();
}

/** A problem with an MCP server that is not a bug of ours. */
export class ServerFailure extends Error {}

/** The server rejects requests until a person signs in, or grants more. */
export class LoginRequired extends ServerFailure {
  constructor() {
    super('It needs a sign-in.');
  }
}

const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** Fetch for HTTP servers: follows no redirects, because headers may contain a token, and limits the size of a response. */
export function createLimitedFetch(maxBytes = MAX_RESPONSE_BYTES): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: 'error' });
    if (!response.body) return response;
    let bytes = 0;
    const limited = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > maxBytes) controller.error(new Error(`The server sent more than ${maxBytes} bytes.`));
          else controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(limited, { status, statusText, headers });
  };
}
