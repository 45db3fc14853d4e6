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
const WATCHED = 'crewagent_watched';

/** A watcher says so again before it is forgotten. */
const WATCH_EVERY_MS = 10_000;
const FORGET_AFTER_MS = 25_000;

export function followWork(database: Database, workId: string): NonNullable<LogTail['follow']> {
  return (onNew, onDelta) => {
    const announce = (): void =>
      void database.read(`select pg_notify('${WATCHED}', $1)`, [workId]).catch(() => undefined);
    const timer = setInterval(announce, WATCH_EVERY_MS).unref();
    announce();
    const ends = [
      database.notices.subscribe(EVENTS, (text) => {
        if (text === undefined || text.startsWith(`${workId} `)) onNew();
      }),
      database.notices.subscribe(DELTAS, (text) => {
        if (text?.startsWith(workId)) onDelta(JSON.parse(text.slice(workId.length)) as RunEvent);
      }),
      () => clearInterval(timer),
    ];
    return () => {
      for (const end of ends) end();
    };
  };
}

/** Deltas of this time are sent as one. */
const GATHER_MS = 80;
/** PostgreSQL takes 8,000 bytes; a character of JSON has up to six. */
const MAX_CHARACTERS = 1_200;

/** Sends the deltas of Works that are watched. */
export function createDeltaSender(database: Database) {
  const watched = new Map<string, number>();
  const gathered: TextDelta[] = [];
  let timer: NodeJS.Timeout | undefined;
  const unsubscribe = database.notices.subscribe(WATCHED, (workId) => {
    if (workId !== undefined) watched.set(workId, Date.now() + FORGET_AFTER_MS);
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
