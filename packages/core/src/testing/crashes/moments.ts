/** Counts the moments of a process at which a test may kill it. */
import { join } from 'node:path';
import { createRuntime, type Runtime } from '../../runtime.ts';

export type MomentKind = 'event' | 'clock' | 'disk';

/**
 * Right after the `at`-th event was stored, right before the clock is read for the `at`-th time, or after the `at`-th step of the disk;
 * 0: never.
 */
export interface Kill {
  readonly kind: MomentKind;
  readonly at: number;
}

export interface Moments {
  readonly counts: Readonly<Record<MomentKind, number>>;
  /** What the runtime reported as bugs. */
  readonly bugs: readonly string[];
  /** Whether moments count now. */
  areCounted: boolean;
  pass(kind: MomentKind): void;
}

export function openRuntimeToKill(root: string, kill: Kill): { runtime: Runtime; moments: Moments } {
  const counts = { event: 0, clock: 0, disk: 0 };
  const bugs: string[] = [];
  const moments: Moments = {
    counts,
    bugs,
    areCounted: true,
    pass(kind) {
      if (!moments.areCounted) return;
      counts[kind]++;
      if (kind === kill.kind && counts[kind] === kill.at) process.kill(process.pid, 'SIGKILL');
    },
  };
  const runtime = createRuntime({
    storeRoot: join(root, 'store'),
    now() {
      moments.pass('clock');
      return new Date();
    },
    onBug(_, error) {
      bugs.push(String(error instanceof Error ? error.stack : error));
      process.stderr.write(`${bugs.at(-1)}\n`);
    },
  });
  return { runtime, moments };
}
