/**
 * A whole run from the command line against minimal loops on the same provider: start, turns, late turns, memory, exit.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeTree } from '../packages/core/src/testing/file-tree.ts';
import { finishArguments } from '../packages/core/src/testing/models/scripted-model.ts';
import { samplePackage, step, workflow } from '../packages/core/src/testing/packages/sample-package.ts';
import { atMost, inFolder, median, quantile, type Row, toRow } from './measure.ts';
import { type LoopRecord, type MockProvider, startMockProvider } from './mock-provider.ts';

const cli = 'apps/cli/dist/crewagent.js';
const baseline = (name: string): string => join('bench/baselines', name);
const ROUNDS = 5;

interface Loop {
  readonly startMs: number[];
  readonly turnMs: number[];
  readonly exitMs: number[];
  readonly rssMb: number[];
  bytes: number[];
}

export async function benchEngine(): Promise<Row[]> {
  const provider = await startMockProvider();
  return inFolder(async (folder) => {
    const bench = await prepare(folder, provider);
    const short = await compareLoops(50, ROUNDS, bench);
    const long = await compareLoops(500, 1, bench);
    const reads = await compareReads(50, ROUNDS, bench);
    const fresh = await runInNewStores(bench);
    const { ours, bare, durable } = short;
    const late = (loop: Loop): number => median(loop.turnMs.slice(450));
    const bytes = (loop: Loop): number => loop.bytes.reduce((sum, size) => sum + size, 0) / 1e3;
    const p50 = (loop: Loop): number => median(loop.turnMs);
    const p95 = (loop: Loop): number => quantile(loop.turnMs, 0.95);
    const start = (loop: Loop): number => median(loop.startMs);
    const memory = (loop: Loop): number => median(loop.rssMb);
    const row = (
      name: string,
      of: (loop: Loop) => number,
      [one, other]: readonly [Loop, Loop],
      limit: number,
      unit?: string,
    ): Row => toRow(name, { ours: of(one), baseline: of(other) }, limit, unit);
    return [
      row('turn p50 / durable baseline', p50, [ours, durable], 1.25),
      row('turn p95 / durable baseline', p95, [ours, durable], 1.3),
      row('turn p50 at 450–500 / bare loop', late, [long.ours, long.bare], 1),
      row('turn p50, reads only / node:http loop', p50, [reads.ours, reads.http], 1.8),
      row('turn p50, with state patches / node:http loop', p50, [ours, reads.http], 2.2),
      row('start to first request / bare loop', start, [ours, bare], 1.8),
      row('start to first request, new store / bare loop', start, [fresh, bare], 2),
      atMost('first request', (ours.bytes[0] ?? 0) / 1e3, 6.5, 'kB'),
      atMost('exit after the last byte', median(ours.exitMs), 15),
      row('memory at 50 turns / durable baseline', memory, [ours, durable], 1.4, 'MB'),
      row('memory at 500 turns / at 50 turns', memory, [long.ours, ours], 1.4, 'MB'),
      row('bytes sent in 500 turns / bare loop', bytes, [long.ours, long.bare], 1, 'kB'),
    ];
  }, provider.close);
}

type Bench = Awaited<ReturnType<typeof prepare>>;

async function prepare(folder: string, provider: MockProvider) {
  const [project, pkg, home] = [join(folder, 'project'), join(folder, 'package'), join(folder, 'home')];
  mkdirSync(project);
  for (let index = 0; index < 10; index++) {
    writeFileSync(join(project, `file-${index}.txt`), `Line of file ${index}.\n`.repeat(50));
  }
  await writeTree(pkg, walkingPackage());
  await run([cli, 'packages', 'add', pkg], home);
  let states = 0;
  const newState = (): string => {
    const state = join(folder, `state-${++states}`);
    mkdirSync(state);
    return state;
  };
  const flags = ['--base-url', provider.url, '--model', 'm', '--max-turns', '1000', '--project', project];
  return {
    provider,
    folder,
    pkg,
    home,
    commands: {
      ours: () => [cli, 'run', 'sample', ...flags, '--json'],
      bare: () => [baseline('bare-loop.mjs'), provider.url, project],
      durable: () => [baseline('durable-loop.mjs'), provider.url, project, newState()],
      http: () => [baseline('http-loop.mjs'), provider.url, project],
    },
  };
}

/** Two steps with edges to each other, so that every state patch can be a transition. */
function walkingPackage(): Record<string, string> {
  return samplePackage(
    ({ graph }) => {
      graph.nodes = ['step-a', 'step-b', 'end-99'].map((id) => ({
        id,
        type: id === 'end-99' ? 'end' : 'step',
        file: `steps/${id}.md`,
      }));
      graph.entryNodeId = 'step-a';
      graph.edges = [
        { from: 'step-a', to: 'step-b', label: 'next' },
        { from: 'step-b', to: 'step-a', label: 'next' },
        { from: 'step-b', to: 'end-99', label: 'end' },
      ];
    },
    {
      'workflow.md': workflow('variables: {}\ndecisionLog: []\nartifacts: []\n'),
      'steps/step-a.md': step('step-a'),
      'steps/step-b.md': step('step-b'),
      'steps/step-01.md': undefined,
    },
  );
}

async function compareLoops(turns: number, rounds: number, bench: Bench) {
  const loops = { ours: createLoop(), bare: createLoop(), durable: createLoop() };
  for (let round = 0; round < rounds; round++) {
    for (const name of ['durable', 'ours', 'bare'] as const) await runLoop(loops[name], turns, bench, name);
  }
  return loops;
}

/** Without state patches, against the loop that does least. */
async function compareReads(turns: number, rounds: number, bench: Bench) {
  const loops = { ours: createLoop(), http: createLoop() };
  for (let round = 0; round < rounds; round++)
    for (const name of ['ours', 'http'] as const) await runLoop(loops[name], turns, bench, name, false);
  return loops;
}

/** The first run of a package that was just added. */
async function runInNewStores(bench: Bench): Promise<Loop> {
  const loop = createLoop();
  for (let round = 0; round < ROUNDS; round++) {
    const home = join(bench.folder, `new-home-${round}`);
    await run([cli, 'packages', 'add', bench.pkg], home);
    await runLoop(loop, 2, { ...bench, home }, 'ours');
  }
  return loop;
}

function createLoop(): Loop {
  return { startMs: [], turnMs: [], exitMs: [], rssMb: [], bytes: [] };
}

async function runLoop(
  loop: Loop,
  turns: number,
  bench: Bench,
  name: keyof Bench['commands'],
  patches = true,
): Promise<void> {
  const record: LoopRecord = bench.provider.expect(
    turns,
    patches ? (turn) => statePatch(turn / 5) : undefined,
  );
  const startedAt = performance.now();
  const exitedAt = await run(bench.commands[name](), bench.home, (pid) => {
    record.pid = pid;
  });
  if (record.arrivals.length !== turns + 1)
    throw new Error(`${name} made ${record.arrivals.length} requests`);
  if (name === 'ours' && record.connections.size !== 1) throw new Error('a run should use one connection');
  loop.startMs.push((record.arrivals[0] ?? 0) - startedAt);
  loop.turnMs.push(...record.arrivals.slice(1).map((at, index) => at - (record.arrivals[index] ?? 0)));
  loop.exitMs.push(exitedAt - record.endedAt);
  loop.rssMb.push(record.rssMb);
  loop.bytes = record.bytes;
}

function statePatch(count: number) {
  const [from, to] = count % 2 === 1 ? ['step-a', 'step-b'] : ['step-b', 'step-a'];
  const isKnown = count > 2;
  return isKnown
    ? {
        path: '@state/workflow.md',
        patches: [{ operation: 'updateFrontmatter', update: { currentNodeId: { set: to } } }],
      }
    : finishArguments(from ?? '', to);
}

/** Resolves with the time when the process exited. */
async function run(
  args: readonly string[],
  home: string,
  onPid: (pid: number) => void = () => undefined,
): Promise<number> {
  const child = spawn(process.execPath, [...args], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, CREWAGENT_HOME: home },
  });
  onPid(child.pid ?? 0);
  await once(child, 'exit');
  return performance.now();
}
