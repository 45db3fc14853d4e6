/**
 * The process a command runs in: environment, standard streams, signals, exit. Normally Node's own `process`; `runInHost`
 * replaces it for one command, so that many commands can run in one process, also concurrently. The value is async-local
 * instead of a parameter because lines are printed from everywhere, and because `process`, which it replaces, is a global,
 * too. The working directory is not part of it: Node resolves every relative path.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface HostProcess {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly exitCode?: number | string | null | undefined;
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  exit(code: number | string): never;
}

export interface InputStream extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  /** On a terminal only. */
  setRawMode?(isRaw: boolean): unknown;
}

export interface OutputStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

const current = new AsyncLocalStorage<HostProcess>();

/** The process of the command that is calling. */
export function hostProcess(): HostProcess {
  return current.getStore() ?? process;
}

export function runInHost<Result>(host: HostProcess, run: () => Result): Result {
  return current.run(host, run);
}
