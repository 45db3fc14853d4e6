/**
 * The visits of a run, and of the runs it called, as bars on one time axis. Time in which the run was stopped takes no room on
 * it, and waiting only if it is shown: nobody wants to look for two minutes of work in a night. Pure.
 */
import { NO_USAGE, type Usage } from '@crewagent/protocol/model';
import { addVisited, type NodeVisit } from '@crewagent/protocol/story/node-visits';
import type { Story } from '@crewagent/protocol/story/story';
import { growsSince, usageOf } from '../../progress/node/node-figures.ts';
import type { Runs } from '../../progress/to-progress.ts';

export const PARTS = ['model', 'tools', 'waiting'] as const;
export type Part = (typeof PARTS)[number];

export type PartTimes = Readonly<Record<Part, number>>;

/** One visit, or several of a node that was visited very often. */
export interface ChartBar {
  readonly runId: string;
  /** From the beginning of the axis. */
  readonly startMs: number;
  readonly parts: PartTimes;
  readonly stoppedMs: number;
  readonly startedAt: string;
  readonly seq: number;
  /** Numbers of the first and the last visit. */
  readonly visits: readonly [number, number];
  /** The part that is still going on, and since when. */
  readonly growing: { readonly part: Part; readonly since: string } | undefined;
}

/** A node of the run, or of a workflow that it called. */
export interface ChartRow {
  readonly key: string;
  readonly nodeId: string;
  readonly title: string;
  /** How many calls are above it. */
  readonly depth: number;
  readonly bars: readonly ChartBar[];
  readonly visits: number;
  /** The sum of all visits. */
  readonly parts: PartTimes;
  readonly usage: Usage;
}

export interface Chart {
  readonly rows: readonly ChartRow[];
  /** The end of the last bar. */
  readonly lengthMs: number;
  readonly growing: ChartBar['growing'];
}

export interface ChartOptions {
  readonly runs: Runs;
  readonly hasWaiting: boolean;
}

export function toChart(view: Readonly<Story>, options: ChartOptions): Chart {
  const rows: Rows = new Map();
  const { endMs, growing } = addRun(rows, view, { ...options, depth: 0, startMs: 0 });
  return { rows: flatten(rows), lengthMs: endMs, growing };
}

/** Rows under construction, by node. */
type Rows = Map<string, GrowingRow>;

interface GrowingRow extends Pick<ChartRow, 'nodeId' | 'title'> {
  readonly bars: ChartBar[];
  usage: Usage;
  /** Nodes of the workflow that this node calls, over all calls. */
  readonly called: Rows;
}

interface RunOptions extends ChartOptions {
  readonly depth: number;
  readonly startMs: number;
}

interface AddedRun {
  readonly endMs: number;
  readonly parts: PartTimes;
  readonly growing: ChartBar['growing'];
}

function addRun(rows: Rows, view: Readonly<Story>, options: RunOptions): AddedRun {
  const { runs, hasWaiting, depth, startMs } = options;
  const { runId } = view;
  let endMs = startMs;
  let all = NO_PARTS;
  let growing: ChartBar['growing'];
  for (const visit of view.visits) {
    const row = rowOf(rows, view, visit.nodeId);
    const child = visit.calledId === undefined || depth >= MOST_DEEP ? undefined : runs.get(visit.calledId);
    const called = child && addRun(row.called, child, { ...options, depth: depth + 1, startMs: endMs });
    growing = called?.growing ?? growingOf(view, visit);
    const parts = called ? withRest(called.parts, partsOf(visit)) : partsOf(visit);
    const number = row.bars.length + 1;
    const { startedAt, firstSeq: seq, spentMs } = visit;
    row.bars.push({
      ...{ runId, seq, startMs: endMs, startedAt, parts, stoppedMs: spentMs.stopped },
      ...{ visits: [number, number], growing },
    });
    row.usage = addVisited(row.usage, usageOf(visit, runs));
    endMs += lengthOf(parts, hasWaiting);
    all = addParts(all, parts);
  }
  return { endMs, parts: all, growing };
}

const MOST_DEEP = 8;

function rowOf(rows: Rows, { nodes }: Readonly<Story>, nodeId: string): GrowingRow {
  const title = nodes.find(({ id }) => id === nodeId)?.title ?? nodeId;
  const row = rows.get(nodeId) ?? { nodeId, title, bars: [], usage: NO_USAGE, called: new Map() };
  rows.set(nodeId, row);
  return row;
}

/** The rows of a called run follow the row of the node that called it. */
function flatten(rows: Rows, depth = 0, path = ''): readonly ChartRow[] {
  return [...rows.values()].flatMap(({ nodeId, title, bars, usage, called }) => {
    const key = `${path}${nodeId}`;
    const parts = bars.reduce((sum, bar) => addParts(sum, bar.parts), NO_PARTS);
    const row = { key, nodeId, title, depth, bars: mergeBars(bars), visits: bars.length, parts, usage };
    return [row, ...flatten(called, depth + 1, `${key} `)];
  });
}

const NO_PARTS: PartTimes = { model: 0, tools: 0, waiting: 0 };

function addParts(one: PartTimes, other: PartTimes): PartTimes {
  return {
    model: one.model + other.model,
    tools: one.tools + other.tools,
    waiting: one.waiting + other.waiting,
  };
}

/** Of a called run that is not loaded only the time is known. */
function partsOf({ spentMs: { model, tools, called, waiting } }: NodeVisit): PartTimes {
  return { model: model + called, tools, waiting };
}

/** The parts of a called run, which has the same waits in its own log, and what its start and end took. */
function withRest(called: PartTimes, own: PartTimes): PartTimes {
  const rest = lengthOf(own, true) - lengthOf(called, true);
  return { ...called, tools: called.tools + Math.max(0, rest) };
}

export function lengthOf({ model, tools, waiting }: PartTimes, hasWaiting: boolean): number {
  return model + tools + (hasWaiting ? waiting : 0);
}

function growingOf(view: Readonly<Story>, visit: NodeVisit): ChartBar['growing'] {
  const since = growsSince(view, visit);
  if (since === undefined) return undefined;
  return { part: visit.pause ? 'waiting' : visit.activity === 'tools' ? 'tools' : 'model', since };
}

const MOST_BARS = 120;

/** More bars than pixels help nobody: visits that follow each other become one bar. */
function mergeBars(bars: readonly ChartBar[]): readonly ChartBar[] {
  const size = Math.ceil(bars.length / MOST_BARS);
  if (size <= 1) return bars;
  return Array.from({ length: Math.ceil(bars.length / size) }, (_, at) => {
    const group = bars.slice(at * size, (at + 1) * size);
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) return [];
    const parts = group.reduce((sum, bar) => addParts(sum, bar.parts), NO_PARTS);
    const stoppedMs = group.reduce((sum, bar) => sum + bar.stoppedMs, 0);
    return [
      {
        ...first,
        parts,
        stoppedMs,
        visits: [first.visits[0], last.visits[1]],
        growing: last.growing,
      } as const,
    ];
  }).flat();
}

/** The axis: its length and the distance of its ticks, both in round numbers, so that a growing bar seldom changes them. */
export function toAxis(lengthMs: number): { readonly endMs: number; readonly tickMs: number } {
  const most = Math.max(lengthMs, 1) / MOST_TICKS;
  const tickMs = STEPS.find((step) => step >= most) ?? Math.ceil(most / DAY) * DAY;
  return { endMs: Math.max(1, Math.ceil(lengthMs / tickMs)) * tickMs, tickMs };
}

const MOST_TICKS = 6;
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const DAY = 24 * HOUR;
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24].map((count) => count * HOUR),
];
