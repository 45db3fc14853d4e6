/**
 * A process that drives a run with the rehearsal model and kills itself at a chosen moment: right after an event was
 * stored, or right before anything takes the time. Started again it goes on, and at the end prints what came of it.
 *
 * Arguments: a folder with `store` and `project`, a package, `event` or `clock`, and at which of them to die (0: never).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CrewError } from '../base/crew-error.ts';
import { createRuntime } from '../runtime.ts';
import type { OpenRun } from '../session/open-run.ts';

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

const run = await openOrCreate();
run.engine.subscribe((event) => {
  if (event.type === 'message.delta') return;
  events++;
  if (mode === 'event' && events === Number(at)) die();
});
const isNew = run.engine.memory.turn === 0 && run.engine.memory.phase === 'WaitingUser';
let stop = await (isNew ? run.engine.start() : run.engine.resume());
while (stop.reason?.code === 'question') {
  const { pending } = run.engine.memory;
  const questions = pending?.kind === 'question' ? pending.questions : [];
  stop = await run.engine.answer(Object.fromEntries(questions.map(({ id }) => [id, `the ${id}`])));
}
const state = readFileSync(runtime.store.run(run.record).stateDocument, 'utf8');
await run.close();
process.stdout.write(JSON.stringify({ stop, state, events, clockCalls }));

async function openOrCreate(): Promise<OpenRun> {
  try {
    return await runtime.openRun('last');
  } catch (error) {
    if (!(error instanceof CrewError) || error.code !== 'RUN_NOT_FOUND') throw error;
    return runtime.createRun({
      package: pkg,
      projectPath: join(root, 'project'),
      model: { model: 'rehearsal' },
    });
  }
}
