/**
 * How costs grow with the number of Works, the length of a log and the length of a workflow: the exponent of a power law that is
 * fitted to the CPU time of each operation. 1 is linear; what does not grow is far below.
 */
import { join } from 'node:path';
import {
  exportRun,
  findRun,
  importPackage,
  readEvidence,
  readLedger,
  readStaleRuns,
  resolveRun,
  type Store,
  showWork,
} from '@crewagent/core';
import type { RunRecord } from '@crewagent/protocol/run';
import { toLastPage } from '@crewagent/protocol/story/pages';
import { writeTree } from '../packages/core/src/testing/file-tree.ts';
import { samplePackage, step } from '../packages/core/src/testing/packages/sample-package.ts';
import { createWorksIndex } from '../packages/server/src/works/works-index.ts';
import { toSnapshot, toWorksPage } from '../packages/server/src/works/works-page.ts';
import { BENCH_CONTEXT, type GrownStore, growStore } from './grown-store.ts';
import { inFolder, type Row } from './measure.ts';
import { turnFacts } from './runs.ts';

const MAX_EXPONENT = 1.1;
const ROUNDS = 3;

type Run = () => Promise<unknown> | unknown;

/** Operations by name. `once`: cannot be repeated. */
type Operations = Readonly<Record<string, Run | { readonly once: Run }>>;

/** CPU seconds of each operation, by size. */
type Costs = Map<string, { readonly size: number; readonly seconds: number }[]>;

export function benchGrowth(unit: keyof typeof PARTS): () => Promise<Row[]> {
  const [sizes, prepare] = PARTS[unit];
  return async () => toRows(unit, await measure(sizes, prepare));
}

const PARTS = {
  works: [[100, 1_000, 10_000], worksOperations],
  events: [[1_000, 10_000, 100_000], eventOperations],
  nodes: [[100, 316, 1_000], nodeOperations],
} as const;

async function measure(
  sizes: readonly number[],
  prepare: (folder: string, size: number) => Promise<Operations>,
): Promise<Costs> {
  const costs: Costs = new Map();
  for (const size of sizes)
    await inFolder(async (folder) => {
      for (const [name, run] of Object.entries(await prepare(folder, size))) {
        const known = costs.get(name) ?? [];
        known.push({ size, seconds: await ('once' in run ? cpuOnce(run.once) : cpuOf(run)) });
        costs.set(name, known);
      }
    });
  return costs;
}

/** The least of several rounds; short operations are repeated until they can be measured. */
async function cpuOf(run: Run): Promise<number> {
  const first = await cpuOnce(run);
  const times = Math.min(50, Math.ceil(MIN_SECONDS / Math.max(first, 1e-6)));
  const costs = [first];
  for (let round = 0; round < (first > LONG_SECONDS ? 1 : ROUNDS); round++)
    costs.push(await cpuOnce(run, times));
  return Math.min(...costs);
}

async function cpuOnce(run: Run, times = 1): Promise<number> {
  const start = process.cpuUsage();
  for (let time = 0; time < times; time++) await run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6 / times;
}

const MIN_SECONDS = 0.05;
const LONG_SECONDS = 5;

function toRows(unit: string, costs: Costs): Row[] {
  return [...costs].map(([name, points]) => {
    const last = points.at(-1) ?? { size: 0, seconds: 0 };
    const exponent = fitExponent(points);
    return {
      name: `growth: ${name}, ${last.size.toLocaleString('en')} ${unit}`,
      ours: `${(last.seconds * 1_000).toFixed(last.seconds < 0.01 ? 2 : 0)} ms`,
      baseline: `n^${exponent.toFixed(2)}`,
      ratio: exponent,
      limit: MAX_EXPONENT,
    };
  });
}

/** Slope of the line through the logarithms of sizes and costs, by least squares. */
function fitExponent(points: readonly { readonly size: number; readonly seconds: number }[]): number {
  const xs = points.map(({ size }) => Math.log(size));
  const ys = points.map(({ seconds }) => Math.log(seconds));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(xs), mean(ys)];
  const product = xs.reduce((sum, value, index) => sum + (value - x) * ((ys[index] ?? 0) - y), 0);
  return product / xs.reduce((sum, value) => sum + (value - x) ** 2, 0);
}

async function worksOperations(folder: string, size: number): Promise<Operations> {
  const { runtime, projectId, workId }: GrownStore = await growStore(folder, size);
  const { store } = runtime;
  const watch = store.works.watch();
  const index = createWorksIndex();
  index.apply(await watch.poll());
  const address = await findRun(store, workId);
  const record = await store.works.read(address);
  return {
    'the last run': () => resolveRun(store, 'last'),
    'a run by the end of its id': () => resolveRun(store, workId.slice(-12)),
    'the list of runs': () => runtime.listRuns(),
    'marking interrupted Works': () => runtime.sweepInterrupted(),
    'the first page of a list': () => toWorksPage(index, { list: 'roots' }),
    'the beginning of a stream': () => toSnapshot(index, undefined),
    'a search without a result': () => toWorksPage(index, { text: 'nothing like it' }),
    'a change in the list': () =>
      index.apply({
        changed: [{ ...address, record: { ...record, updatedAt: new Date().toISOString() } }],
        removed: [],
      }),
    'a change found by the server': async () => {
      await store.works.update<RunRecord>(address, (known) => ({
        ...known,
        updatedAt: new Date().toISOString(),
      }));
      await watch.poll();
    },
    'all Works read by the server': () => store.works.watch().poll(),
    'the ledger of models': () => readLedger(store, {}),
    'stale results of a project': () => readStaleRuns(projectId, { store, context: BENCH_CONTEXT }),
    'the size of the store': () => store.measure(),
    'all Works of a project deleted': { once: () => store.clearProject(projectId) },
  };
}

async function eventOperations(folder: string, size: number): Promise<Operations> {
  const { runtime, workId } = await growStore(folder, 1);
  const { store } = runtime;
  const address = await findRun(store, workId);
  const log = await store.works.openLog(address, { now: () => new Date() });
  for (let turn = 1; turn <= size / EVENTS_A_TURN; turn++)
    for (const fact of turnFacts(turn)) log.append(fact);
  await log.close();
  return storyOperations(store, workId);
}

const EVENTS_A_TURN = 5;

/** A run of a workflow that is a chain of steps. */
async function nodeOperations(folder: string, size: number): Promise<Operations> {
  const { runtime } = await growStore(folder, 1);
  const source = join(folder, 'chain');
  await writeTree(source, chainPackage(size));
  const { package: installed } = await importPackage(source, runtime.store, BENCH_CONTEXT);
  const run = await runtime.createWork({
    package: installed.hash,
    projectPath: join(folder, 'project'),
    model: { model: 'rehearsal' },
    limits: { maxTurns: 10 * size },
  });
  const { workId } = run.record;
  return {
    'a run from its first to its last step': {
      async once() {
        const { phase } = await run.engine.start();
        await run.close();
        if (phase !== 'Completed') throw new Error(`the run ended as ${phase}`);
      },
    },
    ...storyOperations(runtime.store, workId),
  };
}

function chainPackage(size: number): Record<string, string> {
  const ids = Array.from({ length: size }, (_, index) => `step-${String(index + 1).padStart(4, '0')}`);
  const nodes = [...ids, 'end-9999'].map((id) => ({
    id,
    type: id.startsWith('end') ? 'end' : 'step',
    file: `steps/${id}.md`,
    title: `Part ${id}`,
  }));
  const edges = ids.map((from, index) => ({
    from,
    to: ids[index + 1] ?? 'end-9999',
    label: 'next',
    isDefault: true,
  }));
  return samplePackage(({ graph }) => Object.assign(graph, { entryNodeId: ids[0], nodes, edges }), {
    'steps/step-01.md': undefined,
    'steps/end-99.md': undefined,
    ...Object.fromEntries(nodes.map(({ id, type, file }) => [file, step(id, type)])),
  });
}

/** Everything that shows or exports one run. */
function storyOperations(store: Store, workId: string): Operations {
  const find = () => findRun(store, workId);
  const report = async () => {
    const { view, ...others } = await showWork(store, await find());
    return { ...others, view: view.own, called: {} };
  };
  return {
    'show --json': async () => JSON.stringify(await report()),
    'the first page of a view': async () => JSON.stringify(toLastPage((await report()).view)),
    'the evidence sheet': async () => readEvidence(store, await find()),
    'a page of the log': async () => store.works.pageLog(await find()).read({ after: 10, limit: 100 }),
    'export as Markdown': async () => exportRun(await report(), { store, format: 'md' }),
    'export as HTML': async () => exportRun(await report(), { store, format: 'html' }),
    'export as JSON': async () => exportRun(await report(), { store, format: 'json' }),
  };
}
