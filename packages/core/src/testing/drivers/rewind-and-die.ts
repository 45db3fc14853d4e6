/**
 * A process that completes a run with the rehearsal model, rewinds it with its files, and kills itself during the rewind: right
 * after an event was stored, or right before the clock is read. Started again, it resumes, and prints the result.
 *
 * Arguments: a folder with `store` and `project`, a package, the node to rewind to, `event` or `clock`, and at which of them
 * to die (0: never).
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CrewError } from '../../base/crew-error.ts';
import type { StopPoint } from '../../engine/stop-point.ts';
import { createRuntime } from '../../runtime.ts';
import type { OpenRun } from '../../session/open-run.ts';
import { createStoreLayout } from '../../store/disk/layout.ts';
import { toAddress } from '../../store/work-address.ts';

const [root = '', pkg = '', nodeId = '', mode = 'event', at = '0'] = process.argv.slice(2);
/** Counted from the start of the rewind. */
const moments = { event: 0, clock: 0 };
let isArmed = false;

const pass = (kind: 'event' | 'clock'): void => {
  if (!isArmed) return;
  moments[kind]++;
  if (mode === kind && moments[kind] === Number(at)) process.kill(process.pid, 'SIGKILL');
};

const runtime = createRuntime({
  storeRoot: join(root, 'store'),
  now() {
    pass('clock');
    return new Date();
  },
  onBug: (_, error) => process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`),
});

const found = await openLast();
const run = found ?? (await createRun());
run.engine.subscribe(() => pass('event'));
if (!found) {
  await complete(run, await run.engine.start());
  isArmed = true;
  await run.rewind({ nodeId, undoesFiles: true });
  isArmed = false;
}
const wasAt = run.engine.memory.state.currentNodeId;
const stop = await complete(run, await run.engine.resume());
const state = readFileSync(
  createStoreLayout(runtime.store.root).work(toAddress(run.record)).stateDocument,
  'utf8',
);
await run.close();
process.stdout.write(JSON.stringify({ stop, state, wasAt, moments }));

async function complete({ engine }: OpenRun, first: StopPoint): Promise<StopPoint> {
  let reached = first;
  while (reached.reason?.code === 'question') {
    const { pending } = engine.memory;
    const questions = pending?.kind === 'question' ? pending.questions : [];
    reached = await engine.answer(Object.fromEntries(questions.map(({ id }) => [id, `the ${id}`])));
  }
  return reached;
}

async function openLast(): Promise<OpenRun | undefined> {
  try {
    return await runtime.openRun('last');
  } catch (error) {
    if (error instanceof CrewError && error.code === 'RUN_NOT_FOUND') return undefined;
    throw error;
  }
}

function createRun(): Promise<OpenRun> {
  return runtime.createWork({
    package: pkg,
    projectPath: join(root, 'project'),
    model: { model: 'rehearsal' },
  });
}
