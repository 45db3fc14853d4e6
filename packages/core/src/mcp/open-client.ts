/**
 * A client of the SDK for one server, over a process of ours or over HTTP, and how its connection ended.
 */
import { pathToFileURL } from 'node:url';
import { VERSION } from '@crewagent/protocol/version';
import {
  Client,
  parseJSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { createLimitedFetch } from './limited-fetch.ts';
import { type ServerCommand, startServerProcess } from './server-process.ts';
import { collectStderr } from './stderr-tail.ts';
import { createStdioTransport } from './stdio-transport.ts';

export interface HttpAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface OpenClient {
  readonly client: Client;
  readonly stderr: () => string;
  /** Why the connection ended, where we know it ourselves. */
  endingOf(): string | undefined;
  connect(timeoutMs: number): Promise<void>;
}

export interface OpenClientOptions {
  readonly target: ServerCommand | HttpAddress;
  /** The folder that a server may ask for as its root. */
  readonly project: string;
  onToolsChanged(): void;
}

export function openClient({ target, project, onToolsChanged }: OpenClientOptions): OpenClient {
  const { transport, stderr, endingOf } = 'command' in target ? openProcess(target) : openHttp(target);
  const client = new Client(
    { name: 'crewagent', version: VERSION },
    {
      capabilities: { roots: {} },
      // A probe costs a request; for a process it would cost a start where the server does not know it.
      versionNegotiation: { mode: 'command' in target ? 'legacy' : 'auto' },
      // Schemas of a server are not compiled here: a hostile pattern would block this process.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  );
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
  client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: pathToFileURL(project).href, name: 'project' }],
  }));
  return {
    client,
    stderr,
    endingOf,
    connect: (timeout) => withDeadline(client.connect(transport, { timeout }), timeout),
  };
}

interface OpenTransport {
  readonly transport: Transport;
  readonly stderr: () => string;
  endingOf(): string | undefined;
}

function openProcess(command: ServerCommand): OpenTransport {
  const server = startServerProcess(command);
  const transport = createStdioTransport(server, parseJSONRPCMessage);
  return { transport, stderr: collectStderr(server.stderr), endingOf: () => transport.ending };
}

function openHttp({ url, headers }: HttpAddress): OpenTransport {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: createLimitedFetch(),
  });
  return { transport, stderr: () => '', endingOf: () => undefined };
}

/** The SDK limits each request; a start is several. */
async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
