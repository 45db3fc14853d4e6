/** A worker in a process of its own: `worker-driver.js DATABASE_URL SCRATCH LEASE_MS`. Says "ready", and ends in order on SIGTERM. */
import { startWorker } from '../../queue/worker.ts';
import { TEST_KEYS } from '../test-keys.ts';

const [databaseUrl = '', scratch = '', leaseMs = '1000'] = process.argv.slice(2);
const worker = await startWorker({
  databaseUrl,
  scratch,
  keys: TEST_KEYS,
  slots: 4,
  env: process.env,
  leaseTiming: { leaseMs: Number(leaseMs), renewEveryMs: Number(leaseMs) / 4 },
  longestWaitMs: 1_000,
  recoverEveryMs: Number(leaseMs) / 2,
  onBug: (id, error) => console.error(id, error),
});
process.once('SIGTERM', () => void worker.stop().then(() => process.exit(0)));
process.stdout.write('ready\n');
