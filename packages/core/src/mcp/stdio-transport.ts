/**
 * JSON-RPC lines to and from a server process, as an SDK transport. The server is untrusted: the length of a line, the amount
 * of non-message output and the rate of unrequested messages are limited; a server that exceeds a limit is stopped.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import {
  type ProcessEnd,
  type ProcessTree,
  startProcessTree,
  type TreeCommand,
} from '../processes/process-tree.ts';

export interface ServerProcess extends Omit<ProcessTree, 'ended'> {
  /** Resolves to a sentence about how the process ended; never rejects. */
  readonly ended: Promise<string>;
}

export interface StdioLimits {
  /** Size of one message. */
  readonly maxMessageBytes: number;
  /** Total size of lines that are not JSON-RPC messages. */
  readonly maxNoiseBytes: number;
  /** Number of messages within ten seconds that do not answer a request of ours. */
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
  const countNoise = (bytes: number): void => {
    noiseBytes += bytes;
    if (noiseBytes > limits.maxNoiseBytes)
      end(
        `The server was stopped: it wrote more than ${limits.maxNoiseBytes} bytes to stdout that are not messages.`,
      );
  };
  const countUnrequested = (): void => {
    const now = performance.now();
    if (now - windowStart > WINDOW_MS) [windowStart, unrequested] = [now, 0];
    if (++unrequested > limits.maxUnrequested)
      end(`The server was stopped: it sent more than ${limits.maxUnrequested} unrequested messages.`);
  };
  const receive = (line: Buffer): void => {
    const message = toMessage(line, parse);
    if (!message) {
      countNoise(line.length + 1);
      return;
    }
    const isAnswer = 'id' in message && !('method' in message) && pending.delete(message.id ?? '');
    if (!isAnswer) countUnrequested();
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
      // A server that does not read is detected by the time limit of the call.
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

export function startServerProcess(command: TreeCommand): ServerProcess {
  const { ended, ...tree } = startProcessTree(command);
  return { ...tree, ended: ended.then(toEnding) };
}

function toEnding({ code, signal, error }: ProcessEnd): string {
  if (error !== undefined) return `The command could not be started: ${error}.`;
  if (code === 127) return 'The command was not found. Check the name of the program, or give its full path.';
  if (code === 126) return 'The command is not executable. Give the path of a program.';
  return signal === null
    ? `The server exited with code ${code ?? 0}.`
    : `The server was terminated by signal ${signal}.`;
}
