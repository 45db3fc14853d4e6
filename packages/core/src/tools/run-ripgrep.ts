/**
 * One ripgrep process from start to end: its output as it comes, killed as soon as nobody wants more.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bareEnvironment } from '../base/bare-environment.ts';
import { errnoOf } from '../base/errno.ts';

export interface RipgrepRun {
  readonly cwd?: string;
  readonly input?: string;
  readonly signal: AbortSignal;
}

const MAX_COMPLAINT = 4_096;

/** Yields what it prints and returns what it complained about. It has ended when this generator has. */
export async function* runRipgrep(
  binary: string,
  args: readonly string[],
  { cwd, input, signal }: RipgrepRun,
): AsyncGenerator<Buffer, string> {
  if (signal.aborted) return '';
  const child = spawn(binary, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: bareEnvironment(),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const stop = (): void => void child.kill('SIGKILL');
  let complaint = '';
  try {
    await once(child, 'spawn');
  } catch (error) {
    // Whatever is missing here is no file that the search was asked about.
    throw errnoOf(error) === 'ENOENT' ? new Error('ripgrep could not be started', { cause: error }) : error;
  }
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) stop();
    child.stderr?.on('data', (chunk: Buffer) => {
      if (complaint.length < MAX_COMPLAINT) complaint += chunk.toString('utf8');
    });
    // It may be gone before it has read everything; its end tells us enough.
    child.stdin?.on('error', () => undefined).end(input);
    if (child.stdout) for await (const chunk of child.stdout) yield chunk as Buffer;
    await closed;
    return signal.aborted ? '' : complaint.trim();
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await closed;
  }
}
