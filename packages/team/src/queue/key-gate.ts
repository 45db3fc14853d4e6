/**
 * The gate of provider keys for all workers of a team. Limits are rows of the database; a key without limits costs no request to it: pauses
 * are told to everybody by notices.
 */
import type { KeyGate } from '@crewagent/core';
import type { Database } from '../database/database.ts';

const CHANNEL = 'crewagent_keys';
/** For a database that does not answer. */
const SOON_MS = 1_000;
/** Longer ones are a mistake of the provider, or of its clock. */
const LONGEST_PAUSE_MS = 3_600_000;

export interface TeamKeyGate extends KeyGate {
  close(): void;
}

export async function openKeyGate(database: Database, workerId: string): Promise<TeamKeyGate> {
  /** When the pause of a key ends, by the clock of this process. */
  const pauses = new Map<string, number>();
  const note = (keyId: string, ms: number): void => {
    const until = performance.now() + ms;
    if (until > (pauses.get(keyId) ?? 0)) pauses.set(keyId, until);
  };
  const load = async (): Promise<void> => {
    const rows = await database.read<{ key_id: string; ms: number }>(
      `select key_id, extract(epoch from paused_until - now())::float8 * 1000 as ms
       from provider_keys where paused_until > now()`,
    );
    for (const { key_id: keyId, ms } of rows) note(keyId, ms);
  };
  const unsubscribe = database.notices.subscribe(CHANNEL, (text) => {
    const [keyId, ms] = text?.split(' ') ?? [];
    if (keyId !== undefined) note(keyId, Number(ms));
    else void load().catch(() => undefined);
  });
  await load();

  const waitOf = (keyId: string): number => {
    const ms = (pauses.get(keyId) ?? 0) - performance.now();
    if (ms <= 0) pauses.delete(keyId);
    return Math.max(0, ms);
  };
  const enter = async (keyId: string, perMinute: number | undefined, atOnce: number | undefined) => {
    const [row] = await database.write<{ wait_ms: number; request_id: string | null }>(
      'select wait_ms, request_id from enter_key($1, $2, $3, $4)',
      [keyId, workerId, perMinute ?? null, atOnce ?? null],
    );
    if (!row || row.wait_ms > 0) return { waitMs: row?.wait_ms ?? SOON_MS };
    const { request_id: requestId } = row;
    const leave = (): void => {
      if (requestId === null) return;
      // If it stays, it counts as long as this worker lives.
      void database
        .read('delete from provider_requests where request_id = $1', [requestId])
        .catch(() => undefined);
    };
    return { leave };
  };
  return {
    async enter(keyId, { requestsPerMinute, concurrentRequests }) {
      const waitMs = waitOf(keyId);
      if (waitMs > 0) return { waitMs };
      if (requestsPerMinute === undefined && concurrentRequests === undefined)
        return { leave: () => undefined };
      return enter(keyId, requestsPerMinute, concurrentRequests).catch(() => ({ waitMs: SOON_MS }));
    },
    pause(keyId, ms) {
      const bounded = Math.min(ms, LONGEST_PAUSE_MS);
      note(keyId, bounded);
      void database
        .read(
          `with paused as (
             insert into provider_keys as old (key_id, paused_until) values ($1, now() + $2 * interval '1 ms')
             on conflict (key_id) do update set paused_until = greatest(old.paused_until, excluded.paused_until))
           select pg_notify('${CHANNEL}', $3)`,
          [keyId, bounded, `${keyId} ${Math.ceil(bounded)}`],
        )
        .catch(() => undefined);
    },
    close: unsubscribe,
  };
}
