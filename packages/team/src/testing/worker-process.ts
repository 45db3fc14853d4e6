/** Workers as processes, which tests kill and freeze. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { driverPath } from '../../../core/src/testing/driver-path.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import type { KillAt } from './kill-at.ts';

export interface WorkerProcess {
  readonly process: ChildProcess;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export interface WorkerSettings {
  readonly leaseMs?: number;
  readonly slots?: number;
  readonly labels?: readonly string[];
  readonly killAt?: KillAt;
}

interface SpawnOptions extends WorkerSettings {
  /** In addition to that of the test. */
  readonly env?: NodeJS.ProcessEnv;
  readonly program?: string;
  /** A program that starts it. */
  readonly prefix?: readonly string[];
  /** What it says on standard error; default: shown. */
  onError?(text: string): void;
}

export async function spawnWorker(
  databaseUrl: string,
  { leaseMs = 3_000, slots = 4, labels = [], killAt, ...options }: SpawnOptions = {},
): Promise<WorkerProcess> {
  const { env, program = driverPath('worker-driver'), prefix = [], onError } = options;
  const settings = JSON.stringify({ leaseMs, slots, labels, killAt });
  const [command = '', ...args] = [
    ...prefix,
    process.execPath,
    ...[program, databaseUrl, await tempFolder(), settings],
  ];
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  child.stderr.on('data', (text: Buffer) => (onError ? onError(String(text)) : process.stderr.write(text)));
  const exited = once(child, 'exit');
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await exited;
  };
  onTestFinished(async () => {
    child.kill('SIGCONT');
    await kill();
  });
  await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error('the worker ended'))),
  ]);
  return { process: child, kill };
}
