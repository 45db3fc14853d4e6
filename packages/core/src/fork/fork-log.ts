/**
 * The log of a fork: the events of the original up to a point, with the ids of the fork. Whoever puts the original ids back gets the
 * chain of hashes of the original, which `work.forked` names: that proves them. Pure.
 */
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { sealLine } from '../store/log-chain.ts';

/** Own ids by original ids, or the other way round. */
export type IdMap = ReadonlyMap<string, string>;

export function toForkedEvents(events: readonly RunEvent[], seq: number, ids: IdMap): RunEvent[] {
  return events.slice(0, seq).map((event) => withIds(event, ids));
}

/** What `work.forked` says about the events before it. */
export function toForkProof(
  events: readonly RunEvent[],
  seq: number,
  ids: IdMap,
): Pick<EventOf<'work.forked'>, 'afterSeq' | 'sha256' | 'ids'> {
  const original = Object.fromEntries([...ids].map(([of, own]) => [own, of]));
  return { afterSeq: seq, sha256: chainOf(events.slice(0, seq)), ids: original };
}

/** Whether all events of a log that are said to be those of another one are; undefined for a log without such events. */
export function isForkProved(events: readonly RunEvent[]): boolean | undefined {
  const at = events.findLastIndex(({ type }) => type === 'work.forked');
  const forked = events[at];
  if (forked?.type !== 'work.forked') return undefined;
  const ids = new Map(Object.entries(forked.ids));
  const original = events.slice(0, at).map((event) => withIds(event, ids));
  // The original may be a fork itself.
  return original.length === forked.afterSeq && chainOf(original) === forked.sha256
    ? (isForkProved(original) ?? true)
    : false;
}

function chainOf(events: readonly RunEvent[]): string {
  return events.reduce((last, event) => sealLine(event, last).hash, '');
}

/** Keeps the order of the fields, which is part of what is hashed. */
function withIds(event: RunEvent, ids: IdMap): RunEvent {
  const own = (id: string): string => ids.get(id) ?? id;
  const runId = own(event.runId);
  switch (event.type) {
    case 'call.started':
    case 'call.ended':
      return { ...event, runId, childId: own(event.childId) };
    case 'run.created':
      return event.call
        ? { ...event, runId, call: { ...event.call, parentId: own(event.call.parentId) } }
        : { ...event, runId };
    default:
      return { ...event, runId };
  }
}
