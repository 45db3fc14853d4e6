/** Serves one host over standard input and output, until it closes them. */
import type { Readable, Writable } from 'node:stream';
import type { Runtime, ValidationContext } from '@crewagent/core';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createDoor } from './door.ts';

export interface StdioOptions {
  readonly runtime: Runtime;
  readonly context: ValidationContext;
  readonly examplesRoot: string | undefined;
  readonly language: string | undefined;
  readonly input: Readable;
  readonly output: Writable;
  /** Undefined: the first root of the host, or the working directory. */
  readonly projectPath: string | undefined;
  readonly workingDirectory: string;
  readonly signal: AbortSignal;
}

export async function serveHosts({ input, output, signal, ...options }: StdioOptions): Promise<void> {
  const { projectPath, workingDirectory } = options;
  const door = createDoor(options);
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES });
  const handle = serveStdio(
    ({ era }) =>
      door.connect({
        over: 'mcp-stdio',
        projectPath,
        fallbackPath: workingDirectory,
        hasHandshake: era === 'legacy',
      }),
    {
      transport,
    },
  );
  await new Promise<void>((resolve) => {
    input.once('end', resolve);
    input.once('close', resolve);
    output.once('close', resolve);
    output.once('error', () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  // First: a call in progress ends, and its run can be resumed.
  await door.close();
  await handle.close();
}

const MAX_MESSAGE_BYTES = 4 * 1_048_576;
