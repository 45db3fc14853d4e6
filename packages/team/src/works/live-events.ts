/**
 * What is new in the logs of Works, for watchers in other processes: a notice for each commit, and the text of replies in progress, which
 * is in no log. Workers send such text only for Works that somebody watches.
 */

import type { LogTail } from '@crewagent/core/store';
import { isTextDelta, joinDeltas, type TextDelta } from '@crewagent/protocol/event-kinds';
import type { RunEvent } from '@crewagent/protocol/events';
import type { Database } from '../database/database.ts';

const EVENTS = 'crewagent_events';
const DELTAS = 'crewagent_deltas';
/** Ids of Works, separated by spaces. */
const WATCHED = 'crewagent_watched';

/** A watcher says so again before it is forgotten. */
const WATCH_EVERY_MS = 10_000;
const FORGET_AFTER_MS = 25_000;
/** For notices that were lost. */
const LOOK_EVERY_MS = 5_000;
/** Those who begin within this time are looked up together. */
const SOON_MS = 50;
/** PostgreSQL takes 8,000 bytes. */
const IDS_IN_NOTICE = 200;

interface Follower {
  /** Number of the last event that it has read. */
  lastSeq(): number;
  onNew(): void;
  onDelta(event: RunEvent): void;
}

export type FollowWork = (workId: string, lastSeq: () => number) => NonNullable<LogTail['follow']>;

/** Everything that this process watches, with one question for all of it: a server has hundreds of streams, and nearly all are quiet. */
export function createFollowing(database: Database): FollowWork {
  const followers = new Map<string, Set<Follower>>();
  let ends: (() => void)[] = [];
  let soon: NodeJS.Timeout | undefined;

  const announce = (workIds: readonly string[]): void => {
    const texts: string[] = [];
    for (let from = 0; from < workIds.length; from += IDS_IN_NOTICE)
      texts.push(workIds.slice(from, from + IDS_IN_NOTICE).join(' '));
    void database
      .read(`select pg_notify('${WATCHED}', text) from unnest($1::text[]) as text`, [texts])
      .catch(() => undefined);
  };
  const offer = (workId: string, seq: number): void => {
    for (const follower of followers.get(workId) ?? []) if (seq > follower.lastSeq()) follower.onNew();
  };
  const look = async (): Promise<void> => {
    soon = undefined;
    const rows = await database.read<{ work_id: string; last_seq: number }>(
      'select work_id, last_seq from work_heads where work_id = any($1::text[])',
      [[...followers.keys()]],
    );
    for (const row of rows) offer(row.work_id, row.last_seq);
  };
  const lookSafely = (): void => void look().catch(() => undefined);
  const start = (): void => {
    const timers = [
      setInterval(() => announce([...followers.keys()]), WATCH_EVERY_MS).unref(),
      setInterval(lookSafely, LOOK_EVERY_MS).unref(),
    ];
    ends = [
      ...timers.map((timer) => () => clearInterval(timer)),
      () => clearTimeout(soon),
      database.notices.subscribe(EVENTS, (text) => {
        if (text === undefined) lookSafely();
        else {
          const [workId = '', seq] = text.split(' ');
          offer(workId, Number(seq));
        }
      }),
      database.notices.subscribe(DELTAS, (text) => {
        const all = text === undefined ? undefined : followers.get(text.slice(0, WORK_ID));
        if (!text || !all) return;
        const event = JSON.parse(text.slice(WORK_ID)) as RunEvent;
        for (const follower of all) follower.onDelta(event);
      }),
    ];
  };
  const stop = (): void => {
    for (const end of ends) end();
    [ends, soon] = [[], undefined];
  };
  return (workId, lastSeq) => (onNew, onDelta) => {
    const follower = { lastSeq, onNew, onDelta };
    if (followers.size === 0) start();
    const all = followers.get(workId) ?? new Set();
    followers.set(workId, all.add(follower));
    announce([workId]);
    // Something may have come since it read.
    soon ??= setTimeout(lookSafely, SOON_MS).unref();
    return () => {
      if (!all.delete(follower) || all.size > 0) return;
      followers.delete(workId);
      if (followers.size === 0) stop();
    };
  };
}

/** Characters of an id. */
const WORK_ID = 36;

/** Deltas of this time are sent as one. */
const GATHER_MS = 80;
/** PostgreSQL takes 8,000 bytes; a character of JSON has up to six. */
const MAX_CHARACTERS = 1_200;

/** Sends the deltas of Works that are watched. */
export function createDeltaSender(database: Database) {
  const watched = new Map<string, number>();
  const gathered: TextDelta[] = [];
  let timer: NodeJS.Timeout | undefined;
  const unsubscribe = database.notices.subscribe(WATCHED, (workIds) => {
    for (const workId of workIds?.split(' ') ?? []) watched.set(workId, Date.now() + FORGET_AFTER_MS);
  });
  const isWatched = (workId: string): boolean => {
    const until = watched.get(workId);
    if (until !== undefined && until < Date.now()) watched.delete(workId);
    return watched.has(workId);
  };
  const flush = (): void => {
    timer = undefined;
    const texts = gathered
      .splice(0)
      .flatMap(split)
      .map((delta) => delta.runId + JSON.stringify(delta));
    void database
      .read(`select pg_notify('${DELTAS}', text) from unnest($1::text[]) as text`, [texts])
      .catch(() => undefined);
  };
  return {
    add(event: RunEvent): void {
      if (!isTextDelta(event) || !isWatched(event.runId)) return;
      const last = gathered.at(-1);
      const joined = last && joinDeltas(last, event);
      if (joined) gathered[gathered.length - 1] = joined;
      else gathered.push(event);
      timer ??= setTimeout(flush, GATHER_MS).unref();
    },
    close(): void {
      unsubscribe();
      clearTimeout(timer);
    },
  };
}

function split(delta: TextDelta): TextDelta[] {
  const parts: TextDelta[] = [];
  for (let at = 0; at < delta.text.length || parts.length === 0; at += MAX_CHARACTERS)
    parts.push({ ...delta, text: delta.text.slice(at, at + MAX_CHARACTERS) });
  return parts;
}
