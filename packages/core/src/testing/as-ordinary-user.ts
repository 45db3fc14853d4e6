/** Runs a function as an unprivileged user, because file permissions do not apply to root. */
import { execFileSync } from 'node:child_process';

export async function asOrdinaryUser(folder: string, work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return work();
  execFileSync('chown', ['-R', '65534', folder]);
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}
