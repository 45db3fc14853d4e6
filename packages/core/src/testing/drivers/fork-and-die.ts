/**
 * A process that completes a run, forks it, and kills itself at a step of the disk while it does. Started again, it looks at what is
 * there, forks again unless a fork exists, and prints what it found.
 *
 * Arguments: a folder with `store`, a package, the kind of target, and at which step to die (0: never).
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isForkProved } from '../../fork/fork-log.ts';
import { createRuntime } from '../../runtime.ts';
import { toAddress } from '../../store/work-address.ts';
import { readEvents } from '../../transfer/pack-works.ts';
import { driveToEnd } from '../drive-to-end.ts';
import { readTree } from '../file-tree.ts';
import { watchDisk } from '../lossy-disk.ts';

const [root = '', pkg = '', kind = '', at = '0'] = process.argv.slice(2);
const project = join(root, 'project');
const folder = join(root, 'fork');
const isFirst = !existsSync(join(root, 'store'));
mkdirSync(project, { recursive: true });
const runtime = createRuntime({
  storeRoot: join(root, 'store'),
  onBug: (_, error) => process.stderr.write(String(error)),
});
if (isFirst) await driveToEnd(runtime, pkg, project);

const list = async () =>
  (await runtime.listRuns()).flatMap(({ record }) => (record && !record.call ? [record] : []));
const original = (await list()).find(({ forkedFrom }) => !forkedFrom);
if (!original) throw new Error('there is no run to fork');

const findForks = async () => {
  const forks = (await list()).filter(({ forkedFrom }) => forkedFrom);
  return Promise.all(
    forks.map(async (record) => {
      const folder = (await runtime.store.projects.read(record.projectId)).path;
      const events = await readEvents(runtime.store.works, toAddress(record));
      const calls = events.flatMap((event) => (event.type === 'call.started' ? [event.childId] : []));
      const children = await Promise.all(calls.map((id) => runtime.store.works.find(id)));
      return {
        isProved: isForkProved(events),
        children: children.length,
        files: filesOf(await readTree(folder)),
      };
    }),
  );
};
const filesOf = (tree: Record<string, string>) =>
  Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith('/') && !path.startsWith('.')));

const found = await findForks();
let steps = 0;
if (found.length === 0) {
  const request = { run: original.workId, at: { nodeId: 'close' } };
  const { changes } = await runtime.planFork(request);
  const target =
    kind === 'same'
      ? ({ kind, seen: changes.map(({ path }) => path) } as const)
      : ({ kind: 'copy', folder } as const);
  const disk = await watchDisk(root, {
    onStep: () => void (++steps === Number(at) && process.kill(process.pid, 'SIGKILL')),
  });
  await runtime.forkRun({ ...request, target });
  disk.stop();
}
process.stdout.write(
  JSON.stringify({
    steps,
    found,
    forks: await findForks(),
    left: readdirSync(root).filter((name) => name.startsWith('.')),
    original: filesOf(await readTree(project)),
  }),
);
