/** The runs of a tree as they were at a point of one of them: which events of each belong to a fork. */

import type { RunEvent } from '@crewagent/protocol/events';
import { type ForkAt, type ForkPoint, ForkPoints, findForkPoint } from '@crewagent/protocol/fork-points';
import type { RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import type { Store } from '../store/store.ts';
import type { RunAddress } from '../store/work-address.ts';
import type { JournalCopy } from '../store/work-store.ts';
import { readEvents } from '../transfer/pack-works.ts';
import type { PastWork } from './past-files.ts';

export interface TreeRun {
  readonly address: RunAddress;
  readonly record: RunRecord;
  readonly events: readonly RunEvent[];
  readonly journal: JournalCopy;
}

export interface PastTree {
  /** The root first. */
  readonly runs: readonly TreeRun[];
  /** The run that the point is in, and its callers, the root first. */
  readonly path: readonly TreeRun[];
  /** Number of the last event of each run, by id; 0 for one that was called later. */
  readonly cuts: ReadonlyMap<string, number>;
  readonly point: ForkPoint;
  /** When it was. */
  readonly at: string;
}

export interface PointChoice {
  readonly at: ForkAt;
  /** The point is a question of the visit: the first one, or that of this call. */
  readonly question?: true | string | undefined;
}

export async function readTree({ works }: Store, root: RunAddress): Promise<TreeRun[]> {
  const called = (await works.children(root)).toSorted((a, b) => (a.workId < b.workId ? -1 : 1));
  return Promise.all(
    [root, ...called].map(async (address) => ({
      address,
      record: await works.read(address),
      events: await readEvents(works, address),
      journal: await works.readJournal(address),
    })),
  );
}

export function toForkPoints(events: readonly RunEvent[]): readonly ForkPoint[] {
  const points = new ForkPoints();
  for (const event of events) points.add(event);
  return points.list;
}

/** `workId`: the run that `choice` names a point of. */
export function toPastTree(runs: readonly TreeRun[], workId: string, choice: PointChoice): PastTree {
  const byId = new Map(runs.map((run) => [run.record.workId, run]));
  const path: TreeRun[] = [];
  for (let run = byId.get(workId); run; run = byId.get(run.record.call ? (run.record.parentId ?? '') : ''))
    path.unshift(run);
  const target = path.at(-1);
  if (!target) throw new CrewError('RUN_NOT_FOUND', 'The run no longer exists.');
  const { point, seq } = choosePoint(target, choice);
  const cuts = new Map<string, number>(runs.map(({ record }) => [record.workId, 0]));
  cuts.set(workId, seq);
  for (const [index, caller] of path.slice(0, -1).entries()) {
    const called = path[index + 1]?.record.workId;
    const call = caller.events.find((event) => event.type === 'call.started' && event.childId === called);
    cuts.set(caller.record.workId, call?.seq ?? 0);
  }
  // What was called before the point had ended.
  const add = ({ record, events }: TreeRun): void => {
    const cut = cuts.get(record.workId) ?? 0;
    for (const event of events.slice(0, cut)) {
      const child = event.type === 'call.started' ? byId.get(event.childId) : undefined;
      if (!child || path.includes(child)) continue;
      cuts.set(child.record.workId, child.events.length);
      add(child);
    }
  };
  path.forEach(add);
  return { runs, path, cuts, point, at: target.events[seq - 1]?.ts ?? target.record.createdAt };
}

function choosePoint(
  { events, record }: TreeRun,
  { at, question }: PointChoice,
): { readonly point: ForkPoint; readonly seq: number } {
  const points = toForkPoints(events);
  const point = findForkPoint(points, at);
  if (!point) {
    const wanted =
      'seq' in at ? `event ${at.seq}` : `${at.nodeId}${at.visit === undefined ? '' : `:${at.visit}`}`;
    const known = points.map(({ nodeId, visit }) => (visit === 1 ? nodeId : `${nodeId}:${visit}`)).join(', ');
    throw new CrewError(
      'USAGE',
      `The run of "${record.workflowTitle || record.workflowRef}" was never at "${wanted}". It was at: ${known}.`,
    );
  }
  if (question === undefined) return { point, seq: point.seq };
  const asked = point.questions.find(({ callId }) => question === true || callId === question);
  if (asked) return { point, seq: asked.seq };
  throw new CrewError(
    'USAGE',
    `The run was asked nothing at "${point.nodeId}", so there is no other answer to give.`,
  );
}

export function toPastWork({ record, events, journal }: TreeRun, { cuts, at }: PastTree): PastWork {
  return { events, seq: cuts.get(record.workId) ?? 0, at, journal: journal.records };
}

/** The record is written a moment after the log. */
export function phaseOf(events: readonly RunEvent[]): Pick<RunRecord, 'phase' | 'reason'> {
  const last = events.findLast((event) => event.type === 'phase.changed');
  if (last?.type !== 'phase.changed') return { phase: 'WaitingUser' };
  return { phase: last.phase, ...(last.reason ? { reason: last.reason } : {}) };
}
