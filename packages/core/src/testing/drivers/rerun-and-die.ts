/**
 * A process that completes a run, changes one of its inputs, makes again what is out of date, and kills itself at a step of the disk while
 * it does. Started again, it goes on with the rerun, or begins one if there is none, and prints what it found.
 *
 * Arguments: a folder with `store`, a package, and at which step to die (0: never).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime } from '../../runtime.ts';
import { toAddress } from '../../store/work-address.ts';
import { readEvents } from '../../transfer/pack-works.ts';
import { driveToEnd } from '../drive-to-end.ts';
import { watchDisk } from '../lossy-disk.ts';

const [root = '', pkg = '', at = '0'] = process.argv.slice(2);
const project = join(root, 'project');
const isFirst = !existsSync(join(root, 'store'));
mkdirSync(project, { recursive: true });
const runtime = createRuntime({
  storeRoot: join(root, 'store'),
  onBug: (_, error) => process.stderr.write(String(error)),
});
if (isFirst) {
  for (const name of ['a.md', 'b.md']) writeFileSync(join(project, name), 'first');
  await driveToEnd(runtime, pkg, project);
  writeFileSync(join(project, 'a.md'), 'second');
}

const list = async () => (await runtime.listRuns()).flatMap(({ record }) => record ?? []);
const original = (await list()).find(({ rerunOf }) => rerunOf === undefined);
if (!original) throw new Error('there is no run to make again');
const before = await readEvents(runtime.store.works, toAddress(original));

let steps = 0;
const disk = await watchDisk(root, {
  onStep: () => void (++steps === Number(at) && process.kill(process.pid, 'SIGKILL')),
});
const found = (await list()).find(({ rerunOf }) => rerunOf === original.workId);
const workId = found?.workId ?? (await start());
const run = await runtime.openRun(workId);
const stop = run.engine.memory.phase === 'Completed' ? { phase: 'Completed' } : await run.engine.resume();
await run.close();
disk.stop();

const events = await readEvents(runtime.store.works, toAddress(run.record));
const carried = events.flatMap((event) => (event.type === 'visit.carried' ? [event.nodeId] : []));
process.stdout.write(
  JSON.stringify({
    steps,
    carried,
    phase: stop.phase,
    reruns: (await list()).length - 1,
    results: ['artifacts/a.md', 'artifacts/b.md'].map((path) => readFileSync(join(project, path), 'utf8')),
    isSame:
      JSON.stringify(await readEvents(runtime.store.works, toAddress(original))) === JSON.stringify(before),
  }),
);

async function start(): Promise<string> {
  const run = original?.workId ?? '';
  const { id: seen } = await runtime.planRerun(run);
  return (await runtime.rerunStale({ run, seen })).workId;
}
