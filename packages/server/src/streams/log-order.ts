/**
 * Puts the events of an engine in order with those of the log. They are held while the log is read, and while nobody follows: then
 * only those of the current turn, because the text of a reply in progress is in no log. A delta has the number of the stored event
 * before it.
 */
import type { LogTail } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';

export type LogOrder = ReturnType<typeof createLogOrder>;

export function createLogOrder(tail: LogTail, accept: (event: RunEvent) => void, isFollowed: () => boolean) {
  let syncing: Promise<void> = Promise.resolve();
  let syncs = 0;
  let held: RunEvent[] = [];
  /** Accepting what is held would leave a gap: events before it are in the log only. */
  let isBehind = false;
  const acceptHeld = (before = Number.POSITIVE_INFINITY): void => {
    const later = held.findIndex(({ seq }) => seq >= before);
    for (const event of held.splice(0, later === -1 ? held.length : later)) accept(event);
  };
  const read = async (): Promise<void> => {
    await tail.read((event) => {
      acceptHeld(event.seq);
      accept(event);
    });
    isBehind = false;
  };
  /** Reads new events from the log, and accepts those that were held. */
  const sync = (): Promise<void> => {
    syncs++;
    syncing = syncing
      .catch(() => undefined)
      .then(read)
      .finally(() => {
        syncs--;
        if (syncs === 0 && !isBehind) acceptHeld();
      });
    return syncing;
  };
  return {
    sync,
    isReading: (): boolean => syncs > 0,
    isBehind: (): boolean => isBehind,
    /** Accepts an event of an engine, after everything before it. */
    offer(event: RunEvent): void {
      if (syncs === 0 && isFollowed() && !isBehind) {
        accept(event);
        return;
      }
      if (syncs === 0) {
        isBehind = true;
        if (event.type === 'turn.started') held = [];
      }
      held.push(event);
    },
    /** When an engine comes or goes, everything is in the log: reads it for those who follow, else leaves it until somebody asks. */
    async settle(): Promise<void> {
      if (isFollowed()) return sync();
      isBehind = true;
      held = [];
    },
  };
}
