/**
 * Runs one command as a process tree and collects its output. Ends at the time limit, at the output limit, or when it is
 * aborted; what was written until then is returned in every case.
 */
import { stripVTControlCharacters } from 'node:util';
import type { ToolResult } from '@crewagent/protocol/tools';
import { maskSecrets } from '../mounts/sensitive/hidden-values.ts';
import { type BoundedEnd, runBounded } from '../processes/run-bounded.ts';
import { addChanges, type ReportedChanges } from '../tools/changes/change-report.ts';
import { failure } from '../tools/tool.ts';

interface CommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Overrides what the command inherits. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface CommandEnd {
  /** `exit`: by itself. `start`: it could not be started. */
  readonly cause: BoundedEnd['cause'];
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: string;
  /** stdout and stderr in the order in which they arrived, without escape sequences. */
  readonly output: string;
  /** Bytes that were written but not stored. */
  readonly lostBytes: number;
}

const MAX_STORED_BYTES = 4 * 1_048_576;
const MAX_WRITTEN_BYTES = 64 * 1_048_576;

/** For programs that behave differently without a terminal and a person. */
const ENV = {
  CI: '1',
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

export async function runCommand(options: CommandOptions): Promise<CommandEnd> {
  const { command, args, env, cwd, timeoutMs, signal } = options;
  const stored: Buffer[] = [];
  let storedBytes = 0;
  let writtenBytes = 0;
  const end = await runBounded(
    { command, args, cwd, env: { ...ENV, ...env }, inheritEnv: [] },
    {
      ...{ timeoutMs, signal, maxBytes: MAX_WRITTEN_BYTES },
      onOutput: (chunk) => {
        const room = MAX_STORED_BYTES - storedBytes;
        if (room > 0) stored.push(chunk.subarray(0, room));
        storedBytes += Math.min(Math.max(room, 0), chunk.length);
        writtenBytes += chunk.length;
      },
    },
  );
  return {
    cause: end.cause,
    exitCode: end.code,
    signal: end.signal,
    error: end.error,
    output: stripVTControlCharacters(Buffer.concat(stored).toString('utf8')),
    lostBytes: writtenBytes - storedBytes,
  };
}

/** Stores a file for a call. Resolves to its full mount path. */
export type Spill = (name: string, content: Uint8Array) => Promise<string>;

const INLINE_CHARS = 16_384;
const HEAD_CHARS = 4_096;
const TAIL_CHARS = 8_192;

interface CommandResultOptions {
  readonly changes: ReportedChanges;
  readonly spill: Spill;
  readonly callId: string;
}

/**
 * The result of a command for the model: exit code, bounded output with the whole of it in a file, and the files it changed. A
 * command that did not succeed is a failure, so that the log and the loop detector see it as one.
 */
export async function toCommandResult(
  end: CommandEnd,
  { changes, spill, callId }: CommandResultOptions,
): Promise<ToolResult> {
  const facts = {
    ...(end.exitCode === null ? {} : { exitCode: end.exitCode }),
    ...(await boundOutput(end, (content) => spill(`${callId}-output.txt`, content))),
  };
  if (end.cause === 'exit' && end.exitCode === 0) return addChanges({ ok: true, ...facts }, changes);
  const code = end.cause === 'time' ? 'TOOL_TIMEOUT' : 'COMMAND_FAILED';
  return addChanges(failure(code, toReason(end), facts), changes);
}

function toReason({ cause, exitCode, signal, error }: CommandEnd): string {
  switch (cause) {
    case 'start':
      return `The command could not be started: ${error ?? 'no reason given'}.`;
    case 'time':
      return 'The command took too long and was stopped; run less at once, or set timeoutSeconds.';
    case 'output':
      return 'The command wrote too much output and was stopped; redirect its output or make it quiet.';
    case 'abort':
      return 'The command was stopped by the user.';
    case 'exit':
      if (exitCode === 127) return 'The command was not found (exit code 127).';
      return exitCode === null
        ? `The command was terminated by signal ${signal ?? 'unknown'}.`
        : `The command failed with exit code ${exitCode}.`;
  }
}

async function boundOutput(
  { output: written, lostBytes }: CommandEnd,
  spill: (content: Uint8Array) => Promise<string>,
): Promise<Readonly<Record<string, unknown>>> {
  // Before it is cut, and before it goes to a file, which is stored.
  const output = maskSecrets(written);
  if (output.length <= INLINE_CHARS) return { output };
  const path = await spill(Buffer.from(output));
  const left = output.length - HEAD_CHARS - TAIL_CHARS;
  return {
    output: `${output.slice(0, HEAD_CHARS)}\n… ${left} characters are left out …\n${output.slice(-TAIL_CHARS)}`,
    truncated: true,
    outputPath: path,
    hint: `Read the rest with fs.read from ${path}.${lostBytes > 0 ? ` ${lostBytes} more bytes were not stored.` : ''}`,
  };
}
