/**
 * The visits of a run to its nodes, folded from events: agent, time, cost and files of each. Returning to a node starts a new
 * visit. The parts of a visit's time add up to its duration: each moment counts for what the run did or waited for then.
 */
import type { EventOf, RunEvent } from '../events.ts';
import { addUsage, NO_USAGE, type Usage } from '../model.ts';
import { toStatus } from '../status.ts';
import { changedPaths, effectOf } from '../tool-effects.ts';

/** `called`: a sub-workflow ran, whose own visits have the details. */
type Activity = 'model' | 'tools' | 'called';
/** `waiting`: for a person who was asked. `stopped`: by a person, a limit or an error, or the process was gone. */
type Pause = 'waiting' | 'stopped';
export type VisitPart = Activity | Pause;

export interface NodeVisit {
  readonly nodeId: string;
  readonly agentId: string | undefined;
  /** Sequence number of the first event. */
  readonly firstSeq: number;
  readonly startedAt: string;
  /** The time up to which `spentMs` counts. */
  readonly lastAt: string;
  /** The parts of the time from `startedAt` to `lastAt`. */
  readonly spentMs: Readonly<Record<VisitPart, number>>;
  /** What the run does here since `lastAt`, unless it is paused. */
  readonly activity: Activity;
  readonly pause?: Pause | undefined;
  readonly turns: number;
  readonly usage: Usage;
  /** Full mount paths of the files that were changed, each once, up to a limit. */
  readonly files?: readonly string[] | undefined;
  /** The run of the workflow that this node called. */
  readonly calledId?: string | undefined;
  /** Declared outputs that did not exist when the node was left. */
  readonly outputsMissing?: readonly string[] | undefined;
  /** A person rewound the run: the next turn starts a new visit, also at the same node. */
  readonly isOver?: true | undefined;
}

const NO_TIME: NodeVisit['spentMs'] = { model: 0, tools: 0, called: 0, waiting: 0, stopped: 0 };

/** Changes only the last visit: a run may have thousands. */
export function addToNodeVisits(visits: NodeVisit[], event: RunEvent): void {
  const last = visits.at(-1);
  if (event.type === 'turn.started') {
    const { nodeId, agentId } = event;
    if (nodeId === undefined) return;
    const visit = copyOf(enter(visits, event, nodeId));
    visit.agentId = agentId;
    visit.activity = 'model';
    visit.pause = undefined;
    visit.turns++;
    setLast(visits, visit);
  } else if (event.type === 'call.started') {
    const visit = enter(visits, event, event.nodeId);
    setLast(visits, { ...visit, activity: 'called', pause: undefined, calledId: event.childId });
  } else if (last) setLast(visits, updateVisit(last, event));
}

function setLast(visits: NodeVisit[], visit: NodeVisit): void {
  visits[visits.length - 1] = visit;
}

/** The visit in progress, or a new one that begins when the previous one ends. */
function enter(visits: NodeVisit[], { seq, ts }: RunEvent, nodeId: string): NodeVisit {
  const last = visits.at(-1);
  const before = last && settle(last, ts);
  if (before) setLast(visits, before);
  if (before?.nodeId === nodeId && !before.isOver) return before;
  const visit = beginVisit(nodeId, seq, ts);
  visits.push(visit);
  return visit;
}

export function beginVisit(nodeId: string, firstSeq: number, startedAt: string): NodeVisit {
  return {
    nodeId,
    agentId: undefined,
    firstSeq,
    startedAt,
    lastAt: startedAt,
    spentMs: NO_TIME,
    activity: 'model',
    turns: 0,
    usage: NO_USAGE,
  };
}

/** The duration of a visit without the time in which the run was stopped. */
export function durationOf({ spentMs: { model, tools, called, waiting } }: NodeVisit): number {
  return model + tools + called + waiting;
}

/** The time that people read: without the waits for them, which may be as long as a lunch. */
export function workOf({ spentMs: { model, tools, called } }: NodeVisit): number {
  return model + tools + called;
}

/** The work of all visits together, and the waits for people. */
export function timesOf(visits: readonly NodeVisit[]): {
  readonly workedMs: number;
  readonly waitedMs: number;
} {
  const sumOf = (toMs: (visit: NodeVisit) => number): number =>
    visits.reduce((sum, visit) => sum + toMs(visit), 0);
  return { workedMs: sumOf(workOf), waitedMs: sumOf(({ spentMs }) => spentMs.waiting) };
}

/** Counts the time up to `ts`, for `part` instead of what the run did if that is known only now; then sets what it does. */
function settle(
  visit: NodeVisit,
  ts: string,
  part: VisitPart = visit.pause ?? visit.activity,
  activity = visit.activity,
  pause = visit.pause,
): NodeVisit {
  const ms = Date.parse(ts) - Date.parse(visit.lastAt);
  const settled = copyOf(visit);
  settled.activity = activity;
  settled.pause = pause;
  // The clock of a machine may be set back.
  if (ms <= 0) return settled;
  settled.lastAt = ts;
  settled.spentMs = addTime(visit.spentMs, part, ms);
  return settled;
}

/** Spelled out: spreading is several times slower, and a run has tens of thousands of events. */
function copyOf(visit: NodeVisit): { -readonly [Key in keyof NodeVisit]: NodeVisit[Key] } {
  const { nodeId, agentId, firstSeq, startedAt, lastAt, spentMs, activity, pause, turns, usage } = visit;
  const { files, calledId, outputsMissing, isOver } = visit;
  return {
    nodeId,
    agentId,
    firstSeq,
    startedAt,
    lastAt,
    spentMs,
    activity,
    pause,
    turns,
    usage,
    files,
    calledId,
    outputsMissing,
    isOver,
  };
}

function addTime(spent: NodeVisit['spentMs'], part: VisitPart, ms: number): NodeVisit['spentMs'] {
  const { model, tools, called, waiting, stopped } = spent;
  const sum = { model, tools, called, waiting, stopped };
  sum[part] += ms;
  return sum;
}

function updateVisit(visit: NodeVisit, event: RunEvent): NodeVisit {
  switch (event.type) {
    case 'state.changed':
      if (event.isRewind) return { ...visit, isOver: true };
      return event.outputsMissing ? { ...visit, outputsMissing: event.outputsMissing } : visit;
    case 'usage.updated': {
      const updated = copyOf(visit);
      updated.usage = addVisited(visit.usage, event.usage);
      return updated;
    }
    case 'message.completed':
      if (event.purpose !== 'reply') return visit;
      return settle(visit, event.ts, undefined, event.toolCalls?.length ? 'tools' : 'model');
    case 'tool.ended':
      return addFiles(settle(visit, event.ts, event.isInterrupted && 'stopped'), filesOf(event));
    case 'call.ended': {
      const ended = { ...settle(visit, event.ts), activity: 'model', usage: event.usage } as const;
      return addFiles(ended, event.written ?? []);
    }
    // The events before are those of the original.
    case 'work.forked':
      return settle(visit, event.ts, 'stopped');
    case 'run.resumed':
      return { ...settle(visit, event.ts, visit.pause ?? 'stopped'), pause: undefined };
    case 'phase.changed': {
      const { kind, isRunning, isAsking } = toStatus(event);
      const settled = settle(visit, event.ts, kind === 'interrupted' ? 'stopped' : undefined);
      return { ...settled, pause: isRunning ? undefined : isAsking ? 'waiting' : 'stopped' };
    }
    default:
      return visit;
  }
}

const MAX_FILES = 50;

function addFiles(visit: NodeVisit, paths: readonly string[]): NodeVisit {
  const { files = [] } = visit;
  const added = paths.filter((path) => !files.includes(path));
  if (added.length === 0 || files.length >= MAX_FILES) return visit;
  return { ...visit, files: [...files, ...added].slice(0, MAX_FILES) };
}

function filesOf(event: EventOf<'tool.ended'>): readonly string[] {
  const effect = effectOf(event);
  if (effect.isUnchanged || (event.outcome !== 'ok' && !effect.changed)) return [];
  return changedPaths(effect);
}

/** Declared outputs that were missing after the last visit to their node and have not been written since. */
export function outputsStillMissing(
  visits: readonly NodeVisit[],
  { artifacts }: { readonly artifacts: readonly string[] },
): readonly string[] {
  const last = new Map(visits.map((visit) => [visit.nodeId, visit]));
  const missing = [...last.values()].flatMap(({ outputsMissing = [] }) => outputsMissing);
  return [...new Set(missing)].filter((path) => !artifacts.includes(path.replace(/^@project\//, '')));
}

/** As a total, but the cost is unknown if that of one part is. */
export function addVisited(sum: Usage, added: Usage): Usage {
  const isNothing = ({ promptTokens, completionTokens }: Usage): boolean =>
    promptTokens + completionTokens === 0;
  if (isNothing(added)) return sum;
  const isKnown = (isNothing(sum) || sum.costUsd !== undefined) && added.costUsd !== undefined;
  const total = addUsage(sum, added);
  return isKnown || total.costUsd === undefined ? total : { ...total, costUsd: undefined };
}
