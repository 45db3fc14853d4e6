/**
 * Four workers in trouble: every two seconds one is killed and another one started; meanwhile one is frozen, one is cut off from the
 * database, one ends in order, and the database restarts.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { spawnWorker, type WorkerProcess } from '../worker-process.ts';
import { startCutProxy } from './cut-proxy.ts';

const WORKERS = 4;
const LEASE_MS = 5_000;
const KILL_EVERY_MS = 2_000;
const FREEZE_MS = 40_000;
const CUT_MS = 20_000;

export interface Trouble {
  readonly databaseUrl: string;
  restartDatabase(): Promise<void>;
  /** Until then workers are killed. */
  readonly isOver: () => boolean;
  report(line: string): void;
}

export async function makeTrouble({ databaseUrl, restartDatabase, isOver, report }: Trouble): Promise<void> {
  const proxy = await startCutProxy(databaseUrl);
  const [FROZEN, CUT_OFF] = [0, 1];
  const spawn = (at: number): Promise<WorkerProcess> =>
    spawnWorker(at === CUT_OFF ? proxy.url : databaseUrl, { leaseMs: LEASE_MS });
  const workers = await Promise.all(Array.from({ length: WORKERS }, (_, at) => spawn(at)));
  /** Those that have another trouble. */
  const spared = new Set([FROZEN, CUT_OFF]);
  let kills = 0;
  const kill = async (): Promise<void> => {
    for (let at = 0; !isOver(); at = (at + 1) % WORKERS) {
      if (spared.has(at)) continue;
      await wait(KILL_EVERY_MS);
      await workers[at]?.kill();
      workers[at] = await spawn(at);
      kills++;
    }
  };
  const freeze = async (): Promise<void> => {
    await wait(3_000);
    workers[FROZEN]?.process.kill('SIGSTOP');
    await wait(FREEZE_MS);
    workers[FROZEN]?.process.kill('SIGCONT');
    report('the frozen worker goes on');
    await wait(KILL_EVERY_MS);
    spared.delete(FROZEN);
  };
  const cut = async (): Promise<void> => {
    await wait(5_000);
    proxy.cut();
    await wait(CUT_MS);
    proxy.mend();
    report('the worker that was cut off goes on');
    await wait(KILL_EVERY_MS);
    spared.delete(CUT_OFF);
  };
  const restart = async (): Promise<void> => {
    await wait(10_000);
    await restartDatabase();
    report('the database was restarted');
  };
  const end = async (): Promise<void> => {
    const ended = await spawn(WORKERS);
    await wait(15_000);
    await ended.kill('SIGTERM');
    report(`a worker ended in order with ${ended.process.exitCode}`);
  };
  await Promise.all([kill(), freeze(), cut(), restart(), end()]);
  report(`${kills} workers were killed`);
}
