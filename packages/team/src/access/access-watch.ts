/**
 * Ends open streams of people whose rights have changed: their clients connect again and are checked again. A notice says so at once, and
 * all are checked when notices may have been lost. Sessions and tokens that expire are found within a minute, by one question for all.
 */
import type { Viewer } from '@crewagent/server/team';
import { ACCESS_CHANNEL, findOpen } from '../accounts/access-changes.ts';
import type { Database } from '../database/database.ts';
import type { Identities } from './identities.ts';

const CHECK_EVERY_MS = 60_000;

interface Watched {
  readonly viewer: Viewer;
  end(): void;
}

export function createAccessWatch(
  database: Database,
  identities: Pick<Identities, 'isCurrent' | 'of'>,
  everyMs = CHECK_EVERY_MS,
) {
  const watched = new Set<Watched>();
  let stop: (() => void) | undefined;

  /** Of one person, or of all. A check that fails is repeated by the next one. */
  const check = async (personId?: string): Promise<void> => {
    for (const one of [...watched]) {
      if (personId !== undefined && one.viewer.id !== personId) continue;
      const isCurrent = await identities.isCurrent(one.viewer).catch(() => true);
      if (!isCurrent) one.end();
    }
  };
  const endExpired = async (): Promise<void> => {
    const byId = new Map<string, Watched[]>();
    for (const one of watched) {
      const { sessionId, tokenId } = identities.of(one.viewer) ?? {};
      const id = sessionId ?? tokenId;
      if (id !== undefined) byId.set(id, [...(byId.get(id) ?? []), one]);
    }
    const open = await findOpen(database, [...byId.keys()]);
    for (const [id, all] of byId) if (!open.has(id)) for (const one of all) one.end();
  };
  const start = (): (() => void) => {
    const unsubscribe = database.notices.subscribe(ACCESS_CHANNEL, (personId) => void check(personId));
    const timer = setInterval(() => void endExpired().catch(() => undefined), everyMs).unref();
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
