/**
 * Looks at what a killed fork left, and forks the run of a folder unless a fork exists. The moments are steps of the disk while it does.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isForkProved } from '../../fork/fork-log.ts';
import type { Runtime } from '../../runtime.ts';
import { toAddress } from '../../store/work-address.ts';
import { readEvents } from '../../transfer/pack-works.ts';
import { readTree } from '../file-tree.ts';
import { watchDisk } from '../lossy-disk.ts';
import { type Kill, openRuntimeToKill } from './moments.ts';

export interface ForkPlay {
  /** A folder with `project` and `store`, in which a run is complete. */
  readonly root: string;
  readonly target: 'copy' | 'same';
}

export async function fork({ root, target: kind }: ForkPlay, kill: Kill) {
  const { runtime, moments } = openRuntimeToKill(root, kill);
  const found = await findForks(runtime);
  if (found.length === 0) {
    const original = (await listOwn(runtime)).find(({ forkedFrom }) => !forkedFrom);
    if (!original) throw new Error('there is no run to fork');
    const request = { run: original.workId, at: { nodeId: 'close' } };
    const { changes } = await runtime.planFork(request);
    const target =
      kind === 'same'
        ? ({ kind, seen: changes.map(({ path }) => path) } as const)
        : ({ kind, folder: join(root, 'fork') } as const);
    const disk = await watchDisk(root, { onStep: () => moments.pass('disk') });
    await runtime.forkRun({ ...request, target });
    disk.stop();
  }
  return {
    /** Forks that were there, and those that are there now. */
    ...{ found, forks: await findForks(runtime) },
    /** Hidden entries beside the project. */
    left: readdirSync(root).filter((name) => name.startsWith('.')),
    original: await readFiles(join(root, 'project')),
    ...{ moments: { ...moments.counts }, bugs: moments.bugs },
  };
}

async function listOwn(runtime: Runtime) {
  return (await runtime.listRuns()).flatMap(({ record }) => (record && !record.call ? [record] : []));
}

async function findForks(runtime: Runtime) {
  const forks = (await listOwn(runtime)).filter(({ forkedFrom }) => forkedFrom);
  return Promise.all(
    forks.map(async (record) => {
      const { path } = await runtime.store.projects.read(record.projectId);
      const events = await readEvents(runtime.store.works, toAddress(record));
      const calls = events.flatMap((event) => (event.type === 'call.started' ? [event.childId] : []));
      const children = await Promise.all(calls.map((id) => runtime.store.works.find(id)));
      return { isProved: isForkProved(events), children: children.length, files: await readFiles(path) };
    }),
  );
}

async function readFiles(folder: string): Promise<Record<string, string>> {
  const tree = Object.entries(await readTree(folder));
  return Object.fromEntries(tree.filter(([path]) => !path.endsWith('/') && !path.startsWith('.')));
}
