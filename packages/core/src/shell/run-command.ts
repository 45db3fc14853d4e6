/**
 * Runs one command as a process tree and collects its output. Ends at the time limit, at the output limit, or when it is
 * aborted; what was written until then is returned in every case.
 */
import { stripVTControlCharacters } from 'node:util';
import { startProcessTree } from '../processes/process-tree.ts';

export interface CommandOptions {
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
  readonly cause: 'exit' | 'start' | 'time' | 'output' | 'abort';
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
  const tree = startProcessTree({ command, args, cwd, env: { ...ENV, ...env }, inheritEnv: [] });
  tree.stdin.end();
  let cause: CommandEnd['cause'] = 'exit';
  const end = (why: CommandEnd['cause']): void => {
    if (cause === 'exit') cause = why;
    void tree.kill();
  };
  const stored: Buffer[] = [];
  let storedBytes = 0;
  let writtenBytes = 0;
  const collect = (chunk: Buffer): void => {
    const room = MAX_STORED_BYTES - storedBytes;
    if (room > 0) stored.push(chunk.subarray(0, room));
    storedBytes += Math.min(Math.max(room, 0), chunk.length);
    writtenBytes += chunk.length;
    if (writtenBytes > MAX_WRITTEN_BYTES) end('output');
  };
  tree.stdout.on('data', collect);
  tree.stderr.on('data', collect);
  const timer = setTimeout(() => end('time'), timeoutMs);
  const onAbort = (): void => end('abort');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const ended = await tree.ended;
    await Promise.all([drained(tree.stdout), drained(tree.stderr)]);
    return {
      cause: ended.error === undefined ? cause : 'start',
      exitCode: ended.code,
      signal: ended.signal,
      error: ended.error,
      output: stripVTControlCharacters(Buffer.concat(stored).toString('utf8')),
      lostBytes: writtenBytes - storedBytes,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

const DRAIN_MS = 500;

/** Output may arrive after the exit. A process that survived, and still has the pipe, is not waited for. */
async function drained(
  stream: NodeJS.ReadableStream & { destroy(): void; readonly closed: boolean },
): Promise<void> {
  if (stream.closed) return;
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    new Promise<void>((resolve) => void stream.once('close', resolve)),
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DRAIN_MS);
    }),
  ]);
  clearTimeout(timer);
  stream.destroy();
}
