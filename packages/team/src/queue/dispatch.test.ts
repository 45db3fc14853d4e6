import { setTimeout as wait } from 'node:timers/promises';
import type { WorkAddress, WorkStore } from '@crewagent/core/store';
import { toAddress } from '@crewagent/core/store';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SAMPLE_PROJECT_ID, sampleDraft } from '../../../core/src/testing/sample-record.ts';
import { createRoles } from '../accounts/roles.ts';
import type { Database } from '../database/database.ts';
import { readUnserved } from '../http/activity.ts';
import { startChainTeam } from '../testing/chain-team.ts';
import { databaseWithProjects, OTHER_PROJECT, openTestWorks } from '../testing/test-works.ts';
import { spawnWorker } from '../testing/worker-process.ts';
import { type AdvanceQueue, openAdvanceQueue, poolsFor } from './advance-queue.ts';
import { type Claim, createClaims } from './claims.ts';
import { answerCommand, listOpenCommands, sendCommand } from './commands.ts';
import { queueAbandoned } from './recover.ts';

interface Rig {
  readonly database: Database;
  readonly works: WorkStore;
  readonly queue: AdvanceQueue;
}

async function setUp(): Promise<Rig> {
  const database = await databaseWithProjects();
  const works = await openTestWorks(database);
  const queue = await openAdvanceQueue(database);
  onTestFinished(() => queue.close());
  return { database, works, queue };
}

/** A Work that somebody has started. */
async function start(
  { database, works, queue }: Rig,
  person: string,
  projectId = SAMPLE_PROJECT_ID,
): Promise<WorkAddress> {
  const address = toAddress(await works.create({ ...sampleDraft(), projectId }, { now: () => new Date() }));
  await sendCommand(
    database,
    { workId: address.workId, method: 'start', call: { args: [], acceptAt: -1 }, person },
    (sent, connection) => queue.addFor(sent, connection, { priority: sent.waiting }),
  );
  return address;
}

/** Who is next, tree by tree, in one slot. */
async function takeInOrder({ database }: Rig, count: number): Promise<string[]> {
  const claims = createClaims(database, 'worker');
  const order: string[] = [];
  for (let at = 0; at < count; at++) {
    const [claim] = await claims.takeNext(poolsFor([]), 1);
    if (!claim) break;
    order.push(await personOf(database, claim));
    for (const command of await listOpenCommands(database, claim.rootId))
      await answerCommand(database, claim, command, { state: 'done' });
    await claims.end(claim);
  }
  return order;
}

async function personOf(database: Database, { rootId }: Claim): Promise<string> {
  const [row] = await database.read<{ person: string }>('select person from claims where root_id = $1', [
    rootId,
  ]);
  return row?.person ?? '';
}

describe('Free slots', () => {
  it('go to somebody who waits for the first time, whoever has hundreds of Works in the queue', async () => {
    const rig = await setUp();
    await Promise.all(Array.from({ length: 200 }, () => start(rig, 'ada')));
    for (let at = 0; at < 3; at++) await start(rig, 'grace');
    expect(await takeInOrder(rig, 8)).toEqual([
      ...['ada', 'grace', 'ada', 'grace', 'ada', 'grace', 'ada', 'ada'],
    ]);
  });

  it('alternate between those who wait, also if all came at once', async () => {
    const rig = await setUp();
    await Promise.all(Array.from({ length: 30 }, (_, at) => start(rig, at < 20 ? 'ada' : 'grace')));
    const order = await takeInOrder(rig, 20);
    expect(order.filter((person) => person === 'ada')).toHaveLength(10);
    expect(order.some((person, at) => at > 0 && person === order[at - 1])).toBe(false);
  });

  it('are shared by those who have Works in them', async () => {
    const rig = await setUp();
    for (let at = 0; at < 20; at++) await start(rig, 'ada');
    const claims = createClaims(rig.database, 'worker');
    expect(await claims.takeNext(poolsFor([]), 4)).toHaveLength(4);
    for (let at = 0; at < 5; at++) await start(rig, 'grace');
    const next = await claims.takeNext(poolsFor([]), 4);
    expect(await Promise.all(next.map((claim) => personOf(rig.database, claim)))).toEqual([
      ...['grace', 'grace', 'grace', 'grace'],
    ]);
  });

  it('of one person go to each of their projects', async () => {
    const rig = await setUp();
    for (let at = 0; at < 20; at++) await start(rig, 'robot');
    const other = await start(rig, 'robot', OTHER_PROJECT);
    const next = await createClaims(rig.database, 'worker').takeNext(poolsFor([]), 2);
    expect(next.map(({ rootId }) => rootId)).toContain(other.workId);
  });

  it('are filled by several workers at once, each tree once', async () => {
    const rig = await setUp();
    for (let at = 0; at < 40; at++) await start(rig, 'ada');
    const taken = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        createClaims(rig.database, `worker-${at}`).takeNext(poolsFor([]), 7),
      ),
    );
    const roots = taken.flat().map(({ rootId }) => rootId);
    expect(roots).toHaveLength(40);
    expect(new Set(roots).size).toBe(40);
  });

  it('are not for Works that ask for other labels, of their project or their own', async () => {
    const rig = await setUp();
    const roles = createRoles(rig.database);
    await roles.setPolicy(SAMPLE_PROJECT_ID, { labels: ['gpu'] });
    expect(await roles.policy(SAMPLE_PROJECT_ID)).toEqual({ needsSecondPerson: false, labels: ['gpu'] });
    const { workId } = await start(rig, 'ada');
    const take = (...labels: string[]) => createClaims(rig.database, 'worker').takeNext(poolsFor(labels), 9);
    expect(await take()).toEqual([]);
    expect(await take('eu')).toEqual([]);
    expect(await readUnserved(rig.database, null)).toEqual([{ labels: ['gpu'], works: 1 }]);
    expect(await readUnserved(rig.database, [OTHER_PROJECT])).toEqual([]);
    expect((await take('eu', 'gpu')).map(({ rootId }) => rootId)).toEqual([workId]);
    expect(await readUnserved(rig.database, null)).toEqual([]);
  });

  it('are for Works of a worker that died with the same labels', async () => {
    const rig = await setUp();
    await createRoles(rig.database).setPolicy(SAMPLE_PROJECT_ID, { labels: ['gpu'] });
    const { workId } = await start(rig, 'ada');
    const timing = { leaseMs: 1, renewEveryMs: 3_600_000 };
    const [lost] = await createClaims(rig.database, 'dead', timing).takeNext(poolsFor(['gpu']), 1);
    expect(lost?.rootId).toBe(workId);
    await rig.database.write("update commands set created_at = now() - interval '1 h'");
    expect(await queueAbandoned(rig.database, rig.queue)).toEqual([workId]);
    const claims = createClaims(rig.database, 'other');
    expect(await claims.takeNext(poolsFor([]), 1)).toEqual([]);
    expect(await claims.takeNext(poolsFor(['gpu']), 1)).toMatchObject([{ rootId: workId, epoch: '2' }]);
  });
});

describe('A worker', { timeout: 240_000 }, () => {
  it('has as many Works at once as it has slots, whatever other workers have', async () => {
    const { database, create } = await startChainTeam({ delayMs: 60 });
    await spawnWorker(database.url, { slots: 1 });
    await spawnWorker(database.url, { slots: 3 });
    const works = await Promise.all(Array.from({ length: 8 }, () => create()));
    const ended = Promise.all(works.map((work) => work.start(undefined, { onAccepted: () => undefined })));
    const most = new Map<number, number>();
    let isOver = false;
    void ended.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const rows = await database.read<{ slots: number; busy: string }>(
        `select slots, count(*) as busy from claims join workers using (worker_id)
         where claimed_until is not null group by worker_id, slots`,
      );
      for (const { slots, busy } of rows) most.set(slots, Math.max(most.get(slots) ?? 0, Number(busy)));
      // A slot is busy for a second or more; asking all the time would take the processor from the workers.
      await wait(20);
    }
    expect(Object.fromEntries(most)).toEqual({ 1: 1, 3: 3 });
    for (const work of works) await work.close();
  });

  it('leaves a Work with other labels in the queue until one that has them comes', async () => {
    const { database, create } = await startChainTeam();
    await spawnWorker(database.url, { labels: ['eu'] });
    const [anywhere, labelled] = [await create(), await create(['gpu', 'eu'])];
    const options = { onAccepted: () => undefined };
    let ended: Promise<unknown> = Promise.resolve();
    await new Promise((accept) => {
      ended = labelled.start(undefined, { onAccepted: accept });
    });
    expect(await anywhere.start(undefined, options)).toMatchObject({ phase: 'Completed' });
    await vi.waitFor(async () =>
      expect(await readUnserved(database, null)).toEqual([{ labels: ['eu', 'gpu'], works: 1 }]),
    );
    await spawnWorker(database.url, { labels: ['gpu', 'eu', 'big'] });
    expect(await ended).toMatchObject({ phase: 'Completed' });
    for (const work of [anywhere, labelled]) await work.close();
  });
});
