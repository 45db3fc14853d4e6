/** Workers as processes, which tests kill and freeze. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { driverPath } from '../../../core/src/testing/driver-path.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';

export interface WorkerProcess {
  readonly process: ChildProcess;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export async function spawnWorker(databaseUrl: string, leaseMs = 3_000): Promise<WorkerProcess> {
  const child = spawn(
    process.execPath,
    [driverPath('worker-driver'), databaseUrl, await tempFolder(), String(leaseMs)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
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
