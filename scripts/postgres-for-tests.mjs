/**
 * A folder for the PostgreSQL of the tests. The first test that needs one starts it there (`team/testing/team-rig.ts`), and all processes of
 * the tests share it; it is stopped here, whatever became of them.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A vitest global setup; the returned function stops the server and removes the folder. */
export default function setup({ provide }) {
  const folder = mkdtempSync(join(tmpdir(), 'crewagent-test-postgres-'));
  // PostgreSQL runs as another user where the tests run as root.
  chmodSync(folder, 0o711);
  provide('postgresFolder', folder);
  return () => {
    const pidFile = join(folder, 'database', 'data', 'postmaster.pid');
    if (existsSync(pidFile)) stop(Number(readFileSync(pidFile, 'utf8').split('\n')[0]));
    rmSync(folder, { recursive: true, force: true });
  };
}

/** At once: nothing of it is kept. */
function stop(pid) {
  try {
    process.kill(pid, 'SIGQUIT');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
