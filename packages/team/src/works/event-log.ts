/** Logs of Works as rows. */

import type {
  LogPages,
  LogReading,
  LogTail,
  OpenLogOptions,
  RunLog,
  WorkAddress,
} from '@crewagent/core/store';
import { createSpendingFold } from '@crewagent/protocol/costs';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { Queries } from '../database/database.ts';
import type { HeldWork } from './held-work.ts';
import type { FollowWork } from './live-events.ts';

const PAGE = 2_000;

/** Calls back with the events above `after`. Returns the number of the last one. */
export async function readEvents(
  database: Queries,
  workId: string,
  after: number,
  onEvent: (event: RunEvent) => void,
): Promise<number> {
  for (let last = after; ; ) {
    const rows = await selectEvents(database, workId, last, PAGE);
    for (const event of rows) onEvent(event);
    last = rows.at(-1)?.seq ?? last;
    if (rows.length < PAGE) return last;
  }
}

async function selectEvents(
  database: Queries,
  workId: string,
  after: number,
  limit: number,
): Promise<RunEvent[]> {
  const rows = await database.read<{ event: string }>(
    'select event from work_events where work_id = $1 and seq > $2 order by seq limit $3',
    [workId, after, limit],
  );
  return rows.map(({ event }) => JSON.parse(event) as RunEvent);
}

export async function openEventLog(
  database: Queries,
  { workId }: WorkAddress,
  held: HeldWork,
  { now, onEvent = () => undefined }: OpenLogOptions,
): Promise<RunLog> {
  await held.flush();
  const spending = createSpendingFold();
  await readEvents(database, workId, 0, (event) => {
    spending.add(event);
    onEvent(event);
  });
  let isClosed = false;
  // A fact is an event without number and date.
  const toEvent = (seq: number, fact: RunFact): RunEvent =>
    ({ v: 1, seq, ts: now().toISOString(), runId: workId, ...fact }) as RunEvent;
  return {
    get lastSeq() {
      return held.lastSeq;
    },
    brokenAt: undefined,
    append(fact) {
      if (isClosed) throw new Error('the log is closed');
      const event = toEvent(held.lastSeq + 1, fact);
      held.addEvent(JSON.stringify(event), spending.add(event));
      return event;
    },
    stamp: (fact) => toEvent(held.lastSeq, fact),
    settle: () => held.settle(),
    sync: () => held.flush(),
    async close() {
      isClosed = true;
      await held.flush();
    },
  };
}

export async function readEventLog(
  database: Queries,
  workId: string,
  onEvent: (event: RunEvent) => void,
): Promise<LogReading> {
  return { lastSeq: await readEvents(database, workId, 0, onEvent), isIntact: true };
}

export function createEventTail(database: Queries, follow: FollowWork, workId: string): LogTail {
  let last = 0;
  return {
    async read(onEvent) {
      last = await readEvents(database, workId, last, onEvent);
    },
    follow: follow(workId, () => last),
  };
}

export function createEventPages(database: Queries, workId: string): LogPages {
  return {
    async read({ after, limit }) {
      const events = await selectEvents(database, workId, after, limit);
      return { events, lastSeq: (await lastSeqOf(database, workId)) ?? 0, isIntact: true };
    },
  };
}

/** Undefined for a missing log. */
export async function lastSeqOf(database: Queries, workId: string): Promise<number | undefined> {
  const [row] = await database.read<{ last_seq: number }>(
    'select last_seq from work_heads where work_id = $1',
    [workId],
  );
  return row?.last_seq;
}
