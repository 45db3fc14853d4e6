/**
 * The result of a command for the model: exit code, bounded output with the whole of it in a file, and the files it changed. A
 * command that did not succeed is a failure, so that the log and the loop detector see it as one.
 */
import type { ToolResult } from '@crewagent/protocol/tools';
import { maskSecrets } from '../mounts/sensitive/hidden-values.ts';
import { addChanges, type ReportedChanges } from '../tools/changes/change-report.ts';
import { failure } from '../tools/tool.ts';
import type { CommandEnd } from './run-command.ts';

/** Stores a file for a call. Resolves to its full mount path. */
export type Spill = (name: string, content: Uint8Array) => Promise<string>;

const INLINE_CHARS = 16_384;
const HEAD_CHARS = 4_096;
const TAIL_CHARS = 8_192;

export interface CommandResultOptions {
  readonly changes: ReportedChanges;
  readonly spill: Spill;
  readonly callId: string;
}

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
