/**
 * Ends open streams of people whose rights have changed: their clients connect again and are checked again. A notice says so at once;
 * sessions that expire, and what a lost notice said, are found within a minute.
 */
import type { Viewer } from '@crewagent/server/team';
import { ACCESS_CHANNEL } from '../accounts/access-changes.ts';
import type { Database } from '../database/database.ts';
import type { Identities } from './identities.ts';

const CHECK_EVERY_MS = 60_000;

export function createAccessWatch(database: Database, identities: Pick<Identities, 'isCurrent'>) {
  const watched = new Set<{ readonly viewer: Viewer; end(): void }>();
  let stop: (() => void) | undefined;

  /** Of one person, or of all. A check that fails is repeated by the next one. */
  const check = async (personId?: string): Promise<void> => {
    for (const one of [...watched]) {
      if (personId !== undefined && one.viewer.id !== personId) continue;
      const isCurrent = await identities.isCurrent(one.viewer).catch(() => true);
      if (!isCurrent) one.end();
    }
  };
  const start = (): (() => void) => {
    const unsubscribe = database.notices.subscribe(ACCESS_CHANNEL, (personId) => void check(personId));
    const timer = setInterval(() => void check(), CHECK_EVERY_MS).unref();
    return () => {
      unsubscribe();
      clearInterval(timer);
    };
  };
  return (viewer: Viewer, end: () => void): (() => void) => {
    const entry = { viewer, end };
    watched.add(entry);
    stop ??= start();
    return () => {
      watched.delete(entry);
      if (watched.size > 0) return;
      stop?.();
      stop = undefined;
    };
  };
}
