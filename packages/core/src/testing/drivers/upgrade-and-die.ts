/**
 * A process that starts a run, moves it to another version of its package, and kills itself during the move, right before the clock
 * is read: every event and every record has a time. Started again, it opens the run, completes it, and prints what it found.
 *
 * Arguments: a folder with `store` and `project`, the two versions of a package, and at which moment to die (0: never).
 */
import { join } from 'node:path';
import { importPackage } from '../../bmad/import-package.ts';
import { createRuntime } from '../../runtime.ts';
import { answerAll, openOrCreate } from '../drive-to-end.ts';

const [root = '', before = '', after = '', at = '0'] = process.argv.slice(2);
let moments = 0;
let isArmed = false;

const runtime = createRuntime({
  storeRoot: join(root, 'store'),
  now() {
    if (isArmed && ++moments === Number(at)) process.kill(process.pid, 'SIGKILL');
    return new Date();
  },
  onBug: (_, error) => process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`),
});
const context = { runtimeVersion: '1.0.0', knownServers: new Set<string>() };

const isFirst = (await runtime.listRuns()).length === 0;
const first = await openOrCreate(runtime, before, join(root, 'project'));
const found = {
  version: first.record.packageVersion,
  isSame: first.engine.memory.packageHash === first.record.packageHash,
  nodeId: first.engine.memory.state.currentNodeId,
};
await first.close();
if (isFirst) {
  const { package: next } = await importPackage(after, runtime.store, context);
  isArmed = true;
  await runtime.upgradeRun({ run: 'last', version: next.version, confirm: () => Promise.resolve(true) });
  await (await runtime.openRun('last')).close();
  isArmed = false;
}
const run = await runtime.openRun('last');
const stop = await answerAll(run, await run.engine.resume());
const { stepsCompleted } = run.engine.memory.state;
await run.close();
process.stdout.write(JSON.stringify({ found, stop, stepsCompleted, moments }));
