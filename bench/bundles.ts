/**
 * A run of 10,000 events as one file: exporting it, and opening it with everything verified. Its size is compared with its parts, each
 * compressed by itself.
 */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { createRuntime, type Runtime, toAddress, type WorkAddress } from '@crewagent/core';
import { listTree } from '../packages/core/src/base/list-tree.ts';
import { atMost, compare, inFolder, type Row, toRow } from './measure.ts';
import { turnFacts } from './runs.ts';

const EVENTS = 10_000;

export async function benchBundles(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const storeRoot = join(folder, 'store');
    const project = join(folder, 'project');
    mkdirSync(project);
    const runtime = createRuntime({
      storeRoot,
      onBug: (_, error) => {
        throw error;
      },
    });
    const run = await runtime.createWork({
      package: 'examples/hello-branch',
      projectPath: project,
      model: { model: 'rehearsal' },
    });
    await run.engine.start();
    await run.close();
    const work = toAddress(run.record);
    await grow(runtime, work);
    const bundles = await runtime.bundles();
    const target = join(folder, 'run.crewrun');
    const receiver = createRuntime({ storeRoot: join(folder, 'receiver'), onBug: () => undefined });
    const open = async (): Promise<void> => {
      const opened = await (await receiver.bundles()).open(target, () => Promise.resolve(''));
      if (opened.shown.work.events < EVENTS) throw new Error('the file is incomplete');
      await opened.close();
    };
    const times = await compare(3, () => bundles.export({ work, target }), open);
    const parts = await compressedBytes(runtime, { work, hash: run.record.packageHash });
    return [
      atMost('export of a run of 10,000 events as one file', times.ours, 3_000),
      atMost('opening and verifying that file', times.baseline, 3_000),
      toRow(
        'size of that file / its parts, each compressed',
        { ours: statSync(target).size / 1e3, baseline: parts / 1e3 },
        1.3,
        'KB',
      ),
    ];
  });
}

/** As if it had read one file after another; without hashes of requests, so that none of these is rebuilt. */
async function grow({ store: { works } }: Runtime, work: WorkAddress): Promise<void> {
  const lease = await works.lease(work);
  try {
    const log = await works.openLog(work, { now: () => new Date() });
    for (let turn = 2; log.lastSeq < EVENTS; turn++) for (const fact of turnFacts(turn)) log.append(fact);
    await log.close();
  } finally {
    await lease.release();
  }
}

/** Bytes of everything that is stored of the run and its package, each file compressed. */
async function compressedBytes(
  { store: { works, packages } }: Runtime,
  { work, hash }: Packed,
): Promise<number> {
  let bytes = 0;
  for (const folder of [dirname(await works.stateFolder(work)), packages.folder(hash)])
    for (const { path, entry } of listTree(folder))
      if (entry.isFile()) bytes += deflateSync(readFileSync(join(folder, path))).length;
  return bytes;
}

interface Packed {
  readonly work: WorkAddress;
  readonly hash: string;
}
