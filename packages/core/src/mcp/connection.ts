/**
 * One MCP server: started when it is first needed, started again after it died, with growing pauses. Holds what is known of it:
 * status, tools, the last error. Everything that goes wrong with a server is a ServerFailure.
 */
import { pathToFileURL } from 'node:url';
import type { ServerStatus } from '@crewagent/protocol/mcp';
import { VERSION } from '@crewagent/protocol/version';
import {
  type CallToolResult,
  Client,
  parseJSONRPCMessage,
  StreamableHTTPClientTransport,
  type Tool,
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

export interface ConnectionOptions {
  readonly target: ServerCommand | HttpAddress;
  /** The folder that a server may ask for as its root. */
  readonly project: string;
  /** Values that are hidden wherever the server repeats them. */
  readonly secrets: readonly string[];
  readonly startTimeoutMs?: number;
  /** The pause after a failed start; doubled with each failure in a row. */
  readonly backoffMs?: number;
}

export interface McpConnection {
  readonly status: ServerStatus;
  /** As last listed; kept while the server is down. */
  readonly tools: readonly Tool[];
  /** Starts the server if need be and lists its tools if they changed. Rejects with a ServerFailure. */
  ready(signal: AbortSignal): Promise<void>;
  /** An abort cancels the call and, unless other calls are out, kills the server. */
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>;
  /** Text of the server without the secrets it was given. */
  hide(text: string): string;
  close(): Promise<void>;
}

export class ServerFailure extends Error {}

const START_TIMEOUT_MS = 30_000;
const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/** The tool host has the limit of a call; the SDK's own must not come first. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** A shorter text stands in too many places to be replaced. */
const MIN_SECRET_LENGTH = 6;

interface OpenClient {
  readonly client: Client;
  readonly stderr: () => string;
  endingOf(): string | undefined;
}

export function createConnection(options: ConnectionOptions): McpConnection {
  const { startTimeoutMs = START_TIMEOUT_MS, backoffMs = BACKOFF_MS } = options;
  // A header may say what kind of token follows.
  const parts = options.secrets.flatMap((value) => [value, value.replace(/^\S+ +/, '')]);
  const secrets = parts.filter(({ length }) => length >= MIN_SECRET_LENGTH);
  let state: ServerStatus['state'] = 'stopped';
  let error: string | undefined;
  let open: OpenClient | undefined;
  let starting: Promise<void> | undefined;
  let tools: readonly Tool[] = [];
  let areToolsStale = false;
  let failures = 0;
  let retryAtMs = 0;
  let callsOut = 0;
  let lastStderr = '';
  let isClosed = false;

  const hide = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, '[hidden]'), text);
  const fail = (reason: string): ServerFailure => {
    [state, error] = ['failed', hide(reason)];
    retryAtMs = performance.now() + Math.min(backoffMs * 2 ** failures, MAX_BACKOFF_MS);
    failures++;
    return new ServerFailure(error);
  };
  const drop = async (): Promise<void> => {
    const dropped = open;
    open = undefined;
    if (!dropped) return;
    lastStderr = dropped.stderr();
    await dropped.client.close().catch(() => undefined);
  };
  const listTools = async (client: Client): Promise<void> => {
    const listed = await client.listTools(undefined, { timeout: startTimeoutMs });
    tools = listed.tools;
    areToolsStale = false;
  };
  const connect = async (): Promise<void> => {
    state = 'starting';
    const made = createClient(options, () => {
      areToolsStale = true;
    });
    open = made;
    made.client.onclose = () => {
      if (open !== made) return;
      open = undefined;
      lastStderr = made.stderr();
      if (state === 'ready') fail(made.endingOf() ?? 'The connection to the server was lost.');
    };
    try {
      await made.connect(startTimeoutMs);
      await listTools(made.client);
      if (isClosed) throw new Error('The server was stopped.');
      [state, error, failures] = ['ready', undefined, 0];
    } catch (cause) {
      const reason = made.endingOf() ?? toReason(cause, startTimeoutMs);
      const failure = fail(reason);
      open ??= made;
      await drop();
      throw failure;
    }
  };
  const start = (): Promise<void> => {
    starting ??= connect().finally(() => {
      starting = undefined;
    });
    return starting;
  };

  return {
    get status() {
      const stderr = hide(open?.stderr() ?? lastStderr);
      return { state, ...(error === undefined ? {} : { error }), ...(stderr ? { stderr } : {}) };
    },
    get tools() {
      return tools;
    },
    hide,
    async ready(signal) {
      if (isClosed) throw new ServerFailure('The server was stopped.');
      if (state === 'failed' && performance.now() < retryAtMs) throw new ServerFailure(error);
      if (state !== 'ready') return untilAborted(start(), signal);
      if (!areToolsStale || !open) return;
      try {
        await untilAborted(listTools(open.client), signal);
      } catch (cause) {
        if (signal.aborted) throw cause;
        const failure = fail(toReason(cause, startTimeoutMs));
        await drop();
        throw failure;
      }
    },
    async call(name, args, signal) {
      const { client, endingOf } = open ?? {};
      if (!client) throw new ServerFailure(error ?? 'The server is not running.');
      callsOut++;
      try {
        return await client.callTool({ name, arguments: args }, { signal, timeout: NO_TIMEOUT_MS });
      } catch (cause) {
        throw new ServerFailure(hide(endingOf?.() ?? toReason(cause, startTimeoutMs)));
      } finally {
        callsOut--;
        // A server may ignore a cancellation; what it does for nobody ends with it.
        if (signal.aborted && callsOut === 0 && open?.client === client) {
          state = 'stopped';
          void drop();
        }
      }
    },
    async close() {
      isClosed = true;
      state = 'stopped';
      await drop();
      await starting?.catch(() => undefined);
    },
  };
}

interface MadeClient extends OpenClient {
  connect(timeoutMs: number): Promise<void>;
}

function createClient({ target, project }: ConnectionOptions, onToolsChanged: () => void): MadeClient {
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

function toReason(cause: unknown, timeoutMs: number): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/timed? ?out/i.test(text)) return `The server did not answer within ${Math.round(timeoutMs / 1000)} s.`;
  return text.slice(0, 2_000);
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

/** The work goes on for others that wait for it. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new ServerFailure('The wait for the server was aborted.'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
    work.catch(() => undefined);
    aborted.catch(() => undefined);
  }
}
