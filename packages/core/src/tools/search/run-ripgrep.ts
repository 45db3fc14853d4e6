/**
 * Runs one ripgrep process and streams its output. The process is killed when the consumer stops reading.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bareEnvironment } from '../../base/bare-environment.ts';
import { errnoOf } from '../../base/errno.ts';

export interface RipgrepRun {
  readonly cwd?: string;
  readonly input?: string;
  readonly signal: AbortSignal;
}

const MAX_STDERR_CHARS = 4_096;

/** Yields stdout and returns stderr. The process has exited when the generator ends. */
export async function* runRipgrep(
  binary: string,
  args: readonly string[],
  { cwd, input, signal }: RipgrepRun,
): AsyncGenerator<Buffer, string> {
  if (signal.aborted) return '';
  const child = spawn(binary, args, {
    cwd,
    env: bareEnvironment(),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const stop = (): void => void child.kill('SIGKILL');
  let stderr = '';
  try {
    await once(child, 'spawn');
  } catch (error) {
    // ENOENT here is about the binary, not about a searched file.
    throw errnoOf(error) === 'ENOENT' ? new Error('ripgrep could not be started', { cause: error }) : error;
  }
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) stop();
    child.stderr?.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR_CHARS) stderr += chunk.toString('utf8');
    });
    // ripgrep may exit before it has read all of stdin; the exit is handled below.
    child.stdin?.on('error', () => undefined).end(input);
    if (child.stdout) for await (const chunk of child.stdout) yield chunk as Buffer;
    await closed;
    return signal.aborted ? '' : stderr.trim();
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await closed;
  }
}
