/**
 * JSON-RPC lines to and from a server process, as a transport of the SDK. The server is not trusted: the length of a line, the
 * bytes that are no messages and the rate of unrequested messages are limited; a server beyond a limit is stopped.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ServerProcess } from './server-process.ts';

export interface StdioLimits {
  /** Of one message. */
  readonly maxMessageBytes: number;
  /** Of lines that are no JSON-RPC messages, altogether. */
  readonly maxNoiseBytes: number;
  /** Messages within ten seconds that answer no request of ours. */
  readonly maxUnrequested: number;
}

export const STDIO_LIMITS: StdioLimits = {
  maxMessageBytes: 16 * 1024 * 1024,
  maxNoiseBytes: 256 * 1024,
  maxUnrequested: 2_000,
};

const WINDOW_MS = 10_000;
const NEWLINE = 0x0a;

export interface StdioTransport extends Transport {
  /** Why the connection ended; undefined while it is open. */
  readonly ending: string | undefined;
}

export function createStdioTransport(
  server: ServerProcess,
  parse: (value: unknown) => JSONRPCMessage,
  limits: StdioLimits = STDIO_LIMITS,
): StdioTransport {
  const pending = new Set<string | number>();
  let parts: Buffer[] = [];
  let partBytes = 0;
  let noiseBytes = 0;
  let unrequested = 0;
  let windowStart = performance.now();
  let ending: string | undefined;

  const end = (reason: string): void => {
    if (ending !== undefined) return;
    ending = reason;
    parts = [];
    server.stdout.destroy();
    void server.kill();
    transport.onclose?.();
  };
  const noteNoise = (bytes: number): void => {
    noiseBytes += bytes;
    if (noiseBytes > limits.maxNoiseBytes)
      end(
        `The server was stopped: it wrote more than ${limits.maxNoiseBytes} bytes to stdout that are no messages.`,
      );
  };
  const noteUnrequested = (): void => {
    const now = performance.now();
    if (now - windowStart > WINDOW_MS) [windowStart, unrequested] = [now, 0];
    if (++unrequested > limits.maxUnrequested)
      end(
        `The server was stopped: it sent more than ${limits.maxUnrequested} messages that nobody asked for.`,
      );
  };
  const receive = (line: Buffer): void => {
    const message = toMessage(line, parse);
    if (!message) {
      noteNoise(line.length + 1);
      return;
    }
    const isAnswer = 'id' in message && !('method' in message) && pending.delete(message.id ?? '');
    if (!isAnswer) noteUnrequested();
    if (ending === undefined) transport.onmessage?.(message);
  };
  const read = (chunk: Buffer): void => {
    let rest = chunk;
    for (let at = rest.indexOf(NEWLINE); at !== -1 && ending === undefined; at = rest.indexOf(NEWLINE)) {
      const line = Buffer.concat([...parts, rest.subarray(0, at)]);
      [parts, partBytes, rest] = [[], 0, rest.subarray(at + 1)];
      receive(line);
    }
    if (ending !== undefined || rest.length === 0) return;
    parts.push(rest);
    partBytes += rest.length;
    if (partBytes > limits.maxMessageBytes)
      end(`The server was stopped: it sent a message of more than ${limits.maxMessageBytes} bytes.`);
  };

  const transport: StdioTransport = {
    get ending() {
      return ending;
    },
    start() {
      server.stdout.on('data', read);
      server.stdout.on('error', () => undefined);
      void server.ended.then(end);
      return Promise.resolve();
    },
    send(message) {
      if (ending !== undefined) return Promise.reject(new Error(ending));
      if ('id' in message && 'method' in message && message.id !== undefined) pending.add(message.id);
      // A server that reads nothing is noticed by the time limit of the call.
      server.stdin.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    async close() {
      end('The server was stopped.');
      await server.kill();
    },
  };
  return transport;
}

function toMessage(line: Buffer, parse: (value: unknown) => JSONRPCMessage): JSONRPCMessage | undefined {
  try {
    return parse(JSON.parse(line.toString('utf8')));
  } catch {
    return undefined;
  }
}
