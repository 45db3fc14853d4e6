/**
 * Brings the schema of the database up to date: forward only, each step in a transaction, one process at a time. A database of a newer
 * version is refused.
 */
import { CrewError } from '@crewagent/core';
import { type Database, SCHEMA } from './database.ts';
import { ACCOUNTS } from './schema/accounts.ts';
import { COSTS } from './schema/costs.ts';
import { END_CLAIM } from './schema/end-claim.ts';
import { INBOX } from './schema/inbox.ts';
import { KEYS } from './schema/keys.ts';
import { QUEUE } from './schema/queue.ts';
import { SHARES } from './schema/shares.ts';
import { SPENT_HOURS } from './schema/spent-hours.ts';
import { TAKEOVER } from './schema/takeover.ts';
import { TRANSFERS } from './schema/transfers.ts';
import { WORKS } from './schema/works.ts';
import { WORKSPACES } from './schema/workspaces.ts';

/** In this order; published steps never change. */
const STEPS: readonly string[] = [
  WORKS,
  QUEUE,
  ACCOUNTS,
  WORKSPACES,
  TRANSFERS,
  SHARES,
  INBOX,
  KEYS,
  TAKEOVER,
  COSTS,
  SPENT_HOURS,
  END_CLAIM,
];

/** Any number, the same for all versions: only one process migrates. */
const LOCK = 7_240_011;

export async function migrate(database: Database): Promise<void> {
  await database.transaction(async ({ write }) => {
    await write('select pg_advisory_xact_lock($1)', [LOCK]);
    await write(`create schema if not exists ${SCHEMA}`);
    await write(`create table if not exists ${SCHEMA}.schema_version (version integer not null)`);
    const [row] = await write<{ version: number }>(`select version from ${SCHEMA}.schema_version`);
    const version = row?.version ?? 0;
    requireKnown(version);
    await write(`set local search_path to ${SCHEMA}`);
    for (const step of STEPS.slice(version)) await write(step);
    // A backup of another server names transactions that are in the future here: readers would get those rows as new, again and again.
    for (const table of ['works', 'removed_works'])
      await write(`update ${table} set changed = pg_current_xact_id() where changed > pg_current_xact_id()`);
    if (version === STEPS.length) return;
    await write(`delete from ${SCHEMA}.schema_version`);
    await write(`insert into ${SCHEMA}.schema_version values ($1)`, [STEPS.length]);
  });
}

/** Throws if the schema is not the one of this version: `crewagent team init` migrates. */
export async function requireMigrated(database: Database): Promise<void> {
  const [found] = await database.read<{ exists: boolean }>('select to_regclass($1) is not null as exists', [
    `${SCHEMA}.schema_version`,
  ]);
  const [row] = found?.exists
    ? await database.read<{ version: number }>(`select version from ${SCHEMA}.schema_version`)
    : [];
  const version = row?.version ?? 0;
  requireKnown(version);
  if (version < STEPS.length) {
    const message =
      'The database is not set up for this version. Run "crewagent team init" with its address first.';
    throw new CrewError('USAGE', message);
  }
}

function requireKnown(version: number): void {
  if (version <= STEPS.length) return;
  const message = 'The database was set up by a newer version of crewagent; use that version.';
  throw new CrewError('USAGE', message, { details: { version } });
}
