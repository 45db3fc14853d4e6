import { toAddress } from '@crewagent/core/store';
import { expect, it } from 'vitest';
import { sampleDraft } from '../../../core/src/testing/sample-record.ts';
import type { Database } from '../database/database.ts';
import { createClaims } from '../queue/claims.ts';
import { databaseWithProjects, openTestWorks } from '../testing/test-works.ts';
import { createLeases } from './leases.ts';

const TIMING = { leaseMs: 60_000, renewEveryMs: 5 };

/** The database, with renewals that are on their way until they are let through. */
function delayRenewals(database: Database) {
  let sent: () => void = () => undefined;
  let deliver: () => void = () => undefined;
  const isSent = new Promise<void>((resolve) => {
    sent = resolve;
  });
  const isDelivered = new Promise<void>((resolve) => {
    deliver = resolve;
  });
  const renewals: Promise<unknown>[] = [];
  const read: Database['read'] = (sql, values) => {
    if (!/set (?:leased|claimed)_until = now\(\)/.test(sql)) return database.read(sql, values);
    sent();
    const renewal = isDelivered.then(() => database.read(sql, values));
    renewals.push(renewal);
    return renewal as never;
  };
  return {
    delayed: { ...database, read },
    isSent,
    async deliver() {
      deliver();
      await Promise.all(renewals);
    },
  };
}

async function createSample() {
  const database = await databaseWithProjects();
  const works = await openTestWorks(database);
  const address = toAddress(await works.create(sampleDraft(), { now: () => new Date() }));
  return { database, address, ...delayRenewals(database) };
}

it('a lease that was given up is not renewed by a statement that was on its way', async () => {
  const { database, address, delayed, isSent, deliver } = await createSample();
  const leases = createLeases(delayed, 'worker', TIMING);
  await leases.take(address);
  await isSent;
  await leases.release(address);
  await deliver();
  expect(await createLeases(database, 'another').isLeased(address)).toBe(false);
});

it('nor is a claim, given up or ended', async () => {
  for (const how of ['drop', 'end'] as const) {
    const { database, address, delayed, isSent, deliver } = await createSample();
    const claims = createClaims(delayed, 'worker', TIMING);
    const claim = await claims.take(address.workId);
    if (!claim) throw new Error('nobody else has it');
    await isSent;
    await claims[how](claim);
    await deliver();
    const taken = await createClaims(database, 'another').take(address.workId);
    expect(taken, how).toMatchObject({ rootId: address.workId });
  }
});
