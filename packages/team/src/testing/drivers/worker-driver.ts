/** A worker in a process of its own: `worker-driver.js DATABASE_URL SCRATCH SETTINGS`. Says "ready", and ends in order on SIGTERM. */
import { startWorker } from '../../queue/worker.ts';
import { killAt } from '../kill-at.ts';
import { TEST_KEYS } from '../test-keys.ts';
import type { WorkerSettings } from '../worker-process.ts';

const [databaseUrl = '', scratch = '', settings = '{}'] = process.argv.slice(2);
const parsed = JSON.parse(settings) as WorkerSettings;
const { leaseMs = 1_000, slots, labels } = parsed;
if (parsed.killAt) killAt(parsed.killAt);
const worker = await startWorker({
  databaseUrl,
  scratch,
  keys: TEST_KEYS,
  slots,
  labels,
  env: process.env,
  leaseTiming: { leaseMs, renewEveryMs: leaseMs / 4 },
  longestWaitMs: 1_000,
  recoverEveryMs: leaseMs / 2,
  onBug: (id, error) => console.error(id, error),
});
process.once('SIGTERM', () => void worker.stop().then(() => process.exit(0)));
process.stdout.write('ready\n');
