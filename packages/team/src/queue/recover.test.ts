import { toAddress } from '@crewagent/core/store';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sampleDraft } from '../../../core/src/testing/sample-record.ts';
import type { Database } from '../database/database.ts';
import { databaseWithProjects, openTestWorks } from '../testing/test-works.ts';
import { openAdvanceQueue } from './advance-queue.ts';
import { createClaims } from './claims.ts';
import { sendCommand } from './commands.ts';
import { queueAbandoned, tidyQueue } from './recover.ts';

const NEVER_RENEWED = { leaseMs: 1, renewEveryMs: 3_600_000 };

async function setUp() {
  const database = await databaseWithProjects();
  const works = await openTestWorks(database);
  const queue = await openAdvanceQueue(database);
  onTestFinished(() => queue.close());
  const address = toAddress(await works.create(sampleDraft(), { now: () => new Date() }));
  return { database, works, queue, address };
}

/** What is left of an advance whose worker took it out of the queue a day ago and died before its claim. */
async function takeAndDie(database: Database): Promise<void> {
  await database.write(
    `update crewagent_queue.workflow_status
     set status = 'PENDING', executor_id = 'dead', workflow_uuid = workflow_uuid || '-earlier',
       started_at_epoch_ms = extract(epoch from now() - interval '1 day') * 1000`,
  );
}

const advances = (database: Database) =>
  database.read<{ status: string }>('select status from crewagent_queue.workflow_status order by created_at');

describe('Recovery', () => {
  it('queues an advance for a command again and again while workers die before their claim, one at a time', async () => {
    const { database, queue, address } = await setUp();
    const call = { args: [], acceptAt: -1 };
    await sendCommand(database, { workId: address.workId, method: 'start', call }, (sent, connection) =>
      queue.addFor(sent, connection),
    );
    await database.write("update commands set created_at = now() - interval '1 h'");
    expect(await queueAbandoned(database, queue)).toEqual([]);
    await takeAndDie(database);
    expect(await queueAbandoned(database, queue)).toEqual([address.workId]);
    expect(await queueAbandoned(database, queue)).toEqual([]);
    await takeAndDie(database);
    expect(await queueAbandoned(database, queue)).toEqual([address.workId]);
    expect((await advances(database)).map(({ status }) => status)).toEqual([
      'PENDING',
      'PENDING',
      'ENQUEUED',
    ]);
    await tidyQueue(database, queue);
    expect((await advances(database)).map(({ status }) => status)).toEqual([
      'CANCELLED',
      'CANCELLED',
      'ENQUEUED',
    ]);
  });

  it('ends the leases of a worker that did not renew its claim', async () => {
    const { database, works, address } = await setUp();
    await createClaims(database, 'dead', NEVER_RENEWED).take(address.workId);
    await works.lease(address);
    const claims = createClaims(database, 'other');
    await vi.waitFor(async () => expect(await claims.take(address.workId)).toBeDefined());
    expect(await works.isLeased(address)).toBe(false);
  });

  it('leaves the leases alone if the claim was given up in order', async () => {
    const { database, works, address } = await setUp();
    const first = createClaims(database, 'first');
    const claim = await first.take(address.workId);
    if (claim) await first.drop(claim);
    await works.lease(address);
    expect(await createClaims(database, 'other').take(address.workId)).toBeDefined();
    expect(await works.isLeased(address)).toBe(true);
  });
});
