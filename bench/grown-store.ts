/** Stores with many Works: one real run, rehearsed to its end, and copies of it under other ids. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRuntime, createStoreLayout, importPackage, type Runtime, toAddress } from '@crewagent/core';

export const BENCH_CONTEXT = { runtimeVersion: '0.1.0', knownServers: new Set<string>() };

export interface GrownStore {
  readonly runtime: Runtime;
  readonly projectId: string;
  /** Of the real run. */
  readonly workId: string;
}

export async function growStore(folder: string, count: number): Promise<GrownStore> {
  const runtime = createRuntime({ storeRoot: join(folder, 'store') });
  const project = join(folder, 'project');
  mkdirSync(project, { recursive: true });
  const { package: installed } = await importPackage('examples/hello-branch', runtime.store, BENCH_CONTEXT);
  const run = await runtime.createWork({
    package: installed.hash,
    projectPath: project,
    model: { model: 'rehearsal' },
  });
  await run.engine.start();
  await run.close();
  const { workId, projectId } = run.record;
  copyRun(runtime, toAddress(run.record), count - 1);
  return { runtime, projectId, workId };
}

/** The copies are a minute apart and older than the run. */
function copyRun(runtime: Runtime, address: ReturnType<typeof toAddress>, count: number): void {
  const { folder, record } = createStoreLayout(runtime.store.root).work(address);
  const stored = JSON.parse(readFileSync(record, 'utf8')) as { updatedAt: string };
  const last = Date.parse(stored.updatedAt);
  for (let index = 1; index <= count; index++) {
    const at = new Date(last - index * 60_000);
    const runId = toId(at, index);
    const copy = join(dirname(folder), runId);
    cpSync(folder, copy, { recursive: true });
    const times = { createdAt: at.toISOString(), updatedAt: at.toISOString() };
    const title = `Report ${index} of the week`;
    writeFileSync(
      join(copy, 'run.json'),
      JSON.stringify({ ...stored, ...times, runId, workflowTitle: title }),
    );
  }
}

/** Ids sort by time. */
function toId(at: Date, index: number): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${index.toString(16).padStart(12, '0')}`;
}
