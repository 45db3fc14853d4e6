/**
 * A process that drives a run with the rehearsal model and kills itself at a chosen point: right after an event was
 * stored, or right before the clock is read. Started again, it continues, and prints the result at the end.
 *
 * Arguments: a folder with `store` and `project`, a package, `event` or `clock`, and at which of them to die (0: never).
 */
import { join } from 'node:path';
import { createRuntime } from '../../runtime.ts';
import { driveToEnd } from '../drive-to-end.ts';

const [root = '', pkg = '', mode = 'event', at = '0'] = process.argv.slice(2);
let clockCalls = 0;
let events = 0;

const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

const runtime = createRuntime({
  storeRoot: join(root, 'store'),
  now() {
    clockCalls++;
    if (mode === 'clock' && clockCalls === Number(at)) die();
    return new Date();
  },
  onBug: (_, error) => process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`),
});

const end = await driveToEnd(runtime, pkg, join(root, 'project'), (event) => {
  if (event.type === 'message.delta') return;
  events++;
  if (mode === 'event' && events === Number(at)) die();
});
process.stdout.write(JSON.stringify({ ...end, events, clockCalls }));
